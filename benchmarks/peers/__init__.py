"""The contenders: how each engine is given rules and tables and asked for the number of result facts."""

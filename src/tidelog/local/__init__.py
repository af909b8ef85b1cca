"""The in-process engine: values as 32-bit ids, relations as rows of ids, rules as join plans that one Numba kernel interprets."""

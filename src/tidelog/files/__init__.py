"""Facts from files and data frames, and results into files: columns of Arrow, never a loop over rows where it can be avoided."""

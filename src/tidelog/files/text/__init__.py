"""CSV, TSV, `.facts` (`delimited`); JSON Lines (`json_lines`); typed cells (`text_types`)."""

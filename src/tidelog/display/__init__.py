"""How results look in a notebook: `html` writes the tables that everything shows."""

"""How pairs are found by bits: `places` numbers the few terms of a matrix where the dictionary has many."""

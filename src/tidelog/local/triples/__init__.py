"""Triples in a knowledge base in this process: `triple_rows` as rows of relations, `triple_patterns` found one by one."""

"""Syntax: from text to a syntax tree and back.  Knows the names of functions and the kinds of values, and no program.

- `grammar.lark`, `lexing`: the grammar of one statement, and the one lark instance.
- `clauses`: cuts the token stream into clauses and resolves what a context-free grammar cannot.
- `builder`, `reading`: from grammar rules to the tree; `zodiac` translates ZodiacEdge's notation.
- `tree`: terms, literals, rules: immutable.
- `parser`: `parse` and `parse_query`, with all syntax errors of a text.
- `renaming`, `printer`: variables renamed apart; the tree as text.
"""

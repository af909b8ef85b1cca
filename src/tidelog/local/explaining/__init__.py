"""Explanations from the state of the local engine: its tables, indexes, times and closed relations, as `explain` asks for them.

Nothing is kept while facts are derived.  Explaining may make indexes, as queries do, and changes nothing else.
"""

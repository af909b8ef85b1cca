"""The functions and aggregates of the language: what they are called, what they take, and what they give.

This is the one scalar implementation: the reference evaluator and both engines get their results from it, or are tested
to give the same.
"""

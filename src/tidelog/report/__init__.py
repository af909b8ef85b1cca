"""Programs and facts for people.

The structure of a program as text (`structure`) and as a picture: boxes and arrows (`graph`), their places (`layers`), and the
drawing (`svg`); facts and answers as lines (`facts`).  Imports no engine.
"""

"""RDFox's rule language: files that end with `.dlog` as syntax trees, like those of Tidelog's own text.

`lexing` makes tokens, `terms` reads names and literals, `expressions` what FILTER and BIND compute, `statements` rules; `rules`
turns what has been read into our rules, and `parser` puts it together.
"""

"""`tidelog repl`: rules, facts and questions line by line.

`session` does what a line says and gives the lines of the answer; `terminal` reads lines, with history and completion.
"""

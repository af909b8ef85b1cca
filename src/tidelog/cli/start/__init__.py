"""To begin with: `starter` (`tidelog init`) makes a folder, `terminal` (`tidelog repl`) takes lines.

`session` does what a line says and gives the lines of the answer; `terminal` reads lines, with history and completion.
"""

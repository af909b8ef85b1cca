"""Why a fact came or went with a change: from the fact back to the explicit facts and rules that the change began with.

Read in this order: `causes` (what has changed behind a fact, in the states before and after), `parts`, `answer` and `told` (what
users get).  `local.explaining.reversal` gives the state before: it takes the change back, and makes it again.
"""

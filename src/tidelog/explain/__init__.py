"""Why facts hold: found on demand in the materialisation, of which nothing is recorded for that.

Read in this order: `access` (what is asked of an engine), `joins` and `bodies` (rules whose heads are known), `search` (from a
fact backwards), `steps` and `explanation` (what users get) with `text` and `picture` (how it looks), `explainer` (from one to the
other), `questions` (the methods of a knowledge base).  `local.explaining` answers for the local engine.
"""

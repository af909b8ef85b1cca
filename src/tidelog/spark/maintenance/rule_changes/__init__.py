"""Changes of rules on Spark.

`rules_in_kernel`: where everything is in the kernel, the local engine maintains it. Elsewhere a new engine takes over from the
old one: `reuse` copies what the rules do not affect, `rules_in_rounds` maintains units in rounds, and the rest is derived anew;
`comparison` is the delta between the two engines.
"""

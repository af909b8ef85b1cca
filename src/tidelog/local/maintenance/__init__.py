"""Maintenance: an update visits the units in order; each turns the deltas of what it reads into deltas of what it derives.

| what | where | paper |
| --- | --- | --- |
| the way of an update through the units | `propagation` | Motik et al. 2015; Hu et al. 2019, section 4 |
| deltas, and rules for just the instances that they bring or take | `delta` | |
| rules of a unit: delete, then insert | `rule_maintenance` | |
| deletion by ranks | `ranked`, `local.kernel.rows.row_times` | after Zhao, Subotić, Raghothaman, Scholz, PPDP 2021 |
| Backward/Forward | `backward_forward` | Motik, Nenov, Piro, Horrocks, AAAI 2015, Algorithms 1 to 3 |
| the loops of these two, seen from Python | `compiled_deletion` | |
| DRed | `deletion`, `dred` | Gupta, Mumick, Subrahmanian, SIGMOD 1993 |
| DRed with counters | `counting` | Hu, Motik, Horrocks, AAAI 2018 |
| aggregates | `aggregates` | Xu, Curé 2023 |
| transitive and symmetric-transitive modules | `closure_update`, `local.closure` | Hu, Motik, Horrocks, AAAI 2019 |
| rematerialisation | `rematerialisation` | |
| which of them, by measured costs | `cost_model`, `costs` | the equilibrium of Motik et al. 2015 |
| what is kept for a unit between updates | `unit_runtime` | |

`update_context` is what the units of one update share. Above this package: `rule_changes`, `transaction`, `lookahead`. Below it:
`evaluation`, `planning`, `storage`, `closure`, `kernel`.
"""

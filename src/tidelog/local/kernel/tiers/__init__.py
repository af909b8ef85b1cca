"""Two ways to run the kernel, from one text: by Python itself, at once, and compiled by Numba, after some waiting.

Compiling takes seconds, and to load Numba and what was compiled before takes a third of one; small programs are done by then. So
each entry point begins in plain Python, and is exchanged for the compiled one when there is work for it (`choice`). All state of
the kernel is in buffers, so this may happen between any two calls.

- `forms` knows every function of the kernel and what kind it is; `twins` copies them into a world in which they find each other;
- `plain` and `plain_numpy` are the world of Python: arrays that yield Python's integers, and numbers of 64 bits that wrap around;
- `compiled` and `instructions` are the world of Numba; `folder` is where compiled code is kept, and who compiles what just now;
- `signatures` writes down what an entry point is called with, so that another process can compile it (`warm_up`).

Nothing here imports Numba before it is needed.
"""

"""What Python people try first on an object: to print it, to count it, to iterate over it, to ask what is in it.

`browsing` answers for a knowledge base and its snapshots; `subscriptions` tells functions of the user what updates have changed.
"""

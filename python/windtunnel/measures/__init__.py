"""What is measured of runs, from the tables of their results.

`definitions` has what the core says of each column; pages and messages take it from there.
"""

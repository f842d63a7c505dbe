"""What is measured of runs, from the tables of their results.

`definitions.toml` says what each column and measure is; the pages and messages take it from there.
"""

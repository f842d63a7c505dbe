"""What is measured of runs, from the tables of their results."""

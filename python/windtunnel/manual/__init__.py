"""Pages of the manual that are made from what they describe."""

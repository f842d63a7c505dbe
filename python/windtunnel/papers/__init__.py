"""Papers: folders of files that are run and compared with what was published.

A folder in `papers` has scenarios, published numbers, claims, and in `measures.py` what only it
measures. The verdicts are made by `agreement` (when values agree), `numbers`, `decisions` (claims),
`readings` and `scores`; `variant` is what a reproduction changes of a paper.
"""

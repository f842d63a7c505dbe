"""Gates: what a study measures now, compared with a baseline that was kept.

`comparison.py` says what a regression is, `baseline.py` has the file of a baseline, and `words.py`
and `junit.py` say what was found. The command is `cli/gating.py`, and `cli/gating_cases.py` plays
cases of conformance beside it; `action.yml` runs it on GitHub.
"""

"""The evaluation of a controller by the criteria of RFC 9743: experiments, limits and verdicts."""

"""How fast the simulator is, and how many runs a second a study makes."""

"""Gates: what a study measures now, compared with a baseline that was kept."""

"""Pictures of results, for screens, paper and publications."""

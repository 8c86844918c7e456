"""The processes Earshot runs as, and how they start, wake one another, and stop."""

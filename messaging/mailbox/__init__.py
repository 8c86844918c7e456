"""What models may see and say. Refers to everything else by plain UUID, never by foreign key."""

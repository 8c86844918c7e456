"""The REST face below /api/v1. Views parse, call one action or one reading function, and render."""

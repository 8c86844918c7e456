"""Django's settings: `house` for the platform, `agents` for hosted agents, `test` for the tests."""

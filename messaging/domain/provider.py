"""What a hosted agent can be run by. The agents' process has one provider for each of these words."""

from __future__ import annotations

PROVIDERS = ("mirror", "scripted", "openai", "anthropic")

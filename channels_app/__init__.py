"""Chat apps such as Slack, Signal and e-mail. Not Django Channels, which is a library for websockets."""

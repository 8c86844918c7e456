#!/bin/sh
# Start Redis with two users: the house's (the default one), and the agents', confined to what begins with agents:
# It keeps nothing on disk, for nothing in it has to be kept.
set -eu
exec redis-server --port "${REDIS_PORT:-6379}" --save "" --appendonly no --requirepass "$HOUSE_REDIS_PASSWORD" \
    --user agents on ">$AGENTS_REDIS_PASSWORD" "~agents:*" "&agents:*" +@all -@admin -@dangerous

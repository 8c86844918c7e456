#!/bin/sh
# Make the two roles and the database: the house's role owns it, the agents' gets its grants from each migration.
# As a superuser of the server: on this machine's socket, or where PGHOST, PGPORT, PGUSER and PGPASSWORD say.
set -eu
: "${HOUSE_PASSWORD:?is the password that the role of the house gets}" "${AGENTS_PASSWORD:?is that of the role of agents}"
psql --no-psqlrc --quiet --username "${PGUSER:-${POSTGRES_USER:-postgres}}" --dbname postgres --set ON_ERROR_STOP=1 \
    --set house="$HOUSE_PASSWORD" --set agents="$AGENTS_PASSWORD" <<'SQL'
CREATE ROLE house LOGIN PASSWORD :'house';
CREATE ROLE agents LOGIN PASSWORD :'agents';
CREATE DATABASE earshot OWNER house;
-- Whoever else has an account on this server has no business in it.
REVOKE CONNECT ON DATABASE earshot FROM PUBLIC;
GRANT CONNECT ON DATABASE earshot TO agents;
SQL

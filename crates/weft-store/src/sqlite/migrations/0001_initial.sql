-- The first schema. Rules that every table follows:
--   Keys are integers that grow, so that new rows stand at the end of a table; at most one index
--   of a table has a text or a hash in it (DECISIONS 8).
--   Times are microseconds since 1970. Statuses are the numbers of `rows.rs`.
--   A `crc` is the CRC-32 that `checksum.rs` computes over the row.

CREATE TABLE tenants (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

-- `born_crc` covers what never changes, `crc` what changes with the log: an append knows only the
-- second half of the row.
CREATE TABLE runs (
    key        INTEGER PRIMARY KEY,
    tenant     INTEGER NOT NULL,
    opaque     TEXT    NOT NULL,
    workflow   TEXT    NOT NULL,
    definition BLOB    NOT NULL,
    created_at INTEGER NOT NULL,
    born_crc   INTEGER NOT NULL,
    status     INTEGER NOT NULL,
    moving     INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    crc        INTEGER NOT NULL,
    UNIQUE (tenant, opaque)
);
-- Every index ends in the row's key, so these two are also ordered by it.
CREATE INDEX runs_of_tenant ON runs (tenant);
CREATE INDEX runs_moving ON runs (moving) WHERE moving = 1;

-- `pos` is the order in which events were written to this database.
CREATE TABLE events (
    pos  INTEGER PRIMARY KEY,
    run  INTEGER NOT NULL,
    seq  INTEGER NOT NULL,
    crc  INTEGER NOT NULL,
    body BLOB    NOT NULL,
    UNIQUE (run, seq)
);

-- One folded state of a run; its bytes carry their own checksum.
CREATE TABLE state_snapshots (
    run   INTEGER PRIMARY KEY,
    seq   INTEGER NOT NULL,
    bytes BLOB    NOT NULL
);

-- A timer without a checksum is safe: the run's own state says which timers it waits for.
CREATE TABLE timers (
    run INTEGER NOT NULL,
    id  TEXT    NOT NULL,
    due INTEGER NOT NULL,
    PRIMARY KEY (run, id)
) WITHOUT ROWID;
CREATE INDEX timers_due ON timers (due);

CREATE TABLE receipts (
    id         INTEGER PRIMARY KEY,
    scope      BLOB    NOT NULL UNIQUE,
    request    BLOB    NOT NULL,
    status     INTEGER NOT NULL,
    headers    TEXT    NOT NULL,
    body       BLOB    NOT NULL,
    created_at INTEGER NOT NULL,
    crc        INTEGER NOT NULL
);

CREATE TABLE definitions (
    id     INTEGER PRIMARY KEY,
    digest BLOB    NOT NULL UNIQUE,
    body   BLOB    NOT NULL,
    crc    INTEGER NOT NULL
);

CREATE TABLE api_keys (
    id         INTEGER PRIMARY KEY,
    key_id     TEXT    NOT NULL UNIQUE,
    secret     BLOB    NOT NULL,
    tenant     INTEGER NOT NULL,
    subject    TEXT    NOT NULL,
    scopes     TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    origin     TEXT,
    crc        INTEGER NOT NULL
);

CREATE TABLE outbox (
    id       INTEGER PRIMARY KEY,
    run      INTEGER NOT NULL,
    topic    TEXT    NOT NULL,
    attempts INTEGER NOT NULL,
    due      INTEGER NOT NULL,
    payload  BLOB    NOT NULL,
    crc      INTEGER NOT NULL
);
CREATE INDEX outbox_due ON outbox (due);

CREATE TABLE agents (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    parameters TEXT NOT NULL,  -- JSON
    content_hash TEXT
);
-- The name alone does not identify an agent: defaults change with versions, a net with training.
CREATE UNIQUE INDEX agents_identity ON agents (name, kind, parameters, ifnull(content_hash, ''));
CREATE TABLE matches (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    board TEXT NOT NULL,
    a INTEGER NOT NULL REFERENCES agents,
    b INTEGER NOT NULL REFERENCES agents,
    seed TEXT NOT NULL,  -- a whole number of any size
    opening_plies INTEGER,
    settings TEXT NOT NULL,  -- JSON
    created TEXT NOT NULL
);
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    match INTEGER NOT NULL REFERENCES matches,
    number INTEGER NOT NULL,
    first INTEGER NOT NULL REFERENCES agents,
    second INTEGER NOT NULL REFERENCES agents,
    moves TEXT NOT NULL,
    winner INTEGER CHECK (winner IN (1, 2)),
    termination TEXT NOT NULL,
    opening INTEGER NOT NULL,
    plies INTEGER NOT NULL,
    seed TEXT,
    fault TEXT,
    details BLOB NOT NULL,  -- JSON
    UNIQUE (match, number)
);
CREATE TABLE grades (
    id INTEGER PRIMARY KEY,
    agent INTEGER NOT NULL REFERENCES agents,
    board TEXT NOT NULL,
    suite TEXT NOT NULL,
    grade TEXT NOT NULL,  -- JSON
    created TEXT NOT NULL
);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    config TEXT NOT NULL,  -- JSON
    status TEXT NOT NULL,
    started TEXT NOT NULL,
    finished TEXT,
    command TEXT NOT NULL,
    version TEXT NOT NULL
);

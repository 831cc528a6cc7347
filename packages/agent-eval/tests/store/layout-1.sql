-- A store of layout 1, as version 0.1.0 made it, with one record of feedback.
CREATE TABLE state (only INTEGER PRIMARY KEY CHECK (only = 1), next_event INTEGER NOT NULL, events INTEGER NOT NULL,
  bytes INTEGER NOT NULL, sealed_seq INTEGER NOT NULL, sealed_event INTEGER NOT NULL) STRICT;
INSERT INTO state VALUES (1, 0, 0, 0, 0, 0);
CREATE TABLE chunks (seq INTEGER PRIMARY KEY AUTOINCREMENT, base INTEGER NOT NULL, count INTEGER NOT NULL,
  received_ms INTEGER NOT NULL, first_ms REAL NOT NULL, last_ms REAL NOT NULL, bytes INTEGER NOT NULL,
  keys BLOB NOT NULL, body BLOB NOT NULL) STRICT;
CREATE INDEX chunks_by_base ON chunks (base);
CREATE TABLE segments (id INTEGER PRIMARY KEY AUTOINCREMENT, first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL,
  base INTEGER NOT NULL) STRICT;
CREATE TABLE places (kind INTEGER NOT NULL, bucket INTEGER NOT NULL, segment INTEGER NOT NULL, words BLOB NOT NULL,
  PRIMARY KEY (kind, bucket, segment)) STRICT;
CREATE TABLE feedback (id TEXT PRIMARY KEY, version INTEGER NOT NULL, received_ms INTEGER NOT NULL, body BLOB NOT NULL)
  STRICT;
INSERT INTO feedback VALUES ('t', 3, 1000, CAST('{"n":3}' AS BLOB));
PRAGMA user_version=1;

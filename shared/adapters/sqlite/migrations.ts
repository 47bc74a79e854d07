/** The database's steps forward, in order; each runs once, in one transaction with the others. Never edit one that was released. */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE holder (one INTEGER PRIMARY KEY CHECK (one = 1), process INTEGER NOT NULL, host TEXT NOT NULL) STRICT;

   CREATE TABLE item (
     kind TEXT NOT NULL, id TEXT NOT NULL, cluster TEXT, version INTEGER NOT NULL, json TEXT NOT NULL,
     PRIMARY KEY (kind, id)
   ) STRICT;
   CREATE INDEX item_by_cluster ON item (kind, cluster);

   CREATE TABLE audit (
     sequence INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL,
     previous TEXT NOT NULL, hash TEXT NOT NULL
   ) STRICT;
   CREATE TRIGGER audit_keeps BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
   CREATE TRIGGER audit_stays BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

   CREATE TABLE audit_head (one INTEGER PRIMARY KEY CHECK (one = 1), sequence INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
   INSERT INTO audit_head VALUES (1, 0, '');
   CREATE TRIGGER audit_head_keeps BEFORE DELETE ON audit_head
     BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
   CREATE TRIGGER audit_head_grows BEFORE UPDATE ON audit_head WHEN NEW.sequence IS NOT OLD.sequence + 1
     BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

   CREATE TABLE delivery (
     id INTEGER PRIMARY KEY, hop TEXT NOT NULL, event TEXT NOT NULL, due INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0
   ) STRICT;
   CREATE INDEX delivery_due ON delivery (hop, due);

   CREATE TABLE quarantine (
     id INTEGER PRIMARY KEY, hop TEXT NOT NULL, event TEXT NOT NULL, at TEXT NOT NULL, because TEXT NOT NULL
   ) STRICT;`,

  `ALTER TABLE item ADD COLUMN over TEXT;
   UPDATE item SET over = CASE kind
     WHEN 'incident' THEN
       iif(json ->> 'state' = 'closed', coalesce(json ->> 'goneSince', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), NULL)
     WHEN 'proposal' THEN
       iif(json ->> 'state' IN ('open', 'snoozed', 'approved', 'applying', 'applied'), NULL, json ->> 'changedAt')
     WHEN 'silence' THEN json ->> 'until'
     WHEN 'receipt' THEN json ->> 'at'
   END;
   CREATE INDEX item_over ON item (kind, over, cluster);

   ALTER TABLE delivery ADD COLUMN same TEXT;
   CREATE INDEX delivery_same ON delivery (hop, same) WHERE same IS NOT NULL;`,
];

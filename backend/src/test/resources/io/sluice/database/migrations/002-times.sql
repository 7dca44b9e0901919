ALTER TABLE notes ADD COLUMN at timestamptz NOT NULL DEFAULT now();
INSERT INTO notes (body) VALUES ('first');

-- Folders that an administrator shares with groups. Everybody is in the group default. Who is in none of a share's groups does not see it.
CREATE TABLE files_shares (
    name text PRIMARY KEY,
    description text NOT NULL DEFAULT '',
    readers text[] NOT NULL DEFAULT '{}',
    writers text[] NOT NULL DEFAULT '{}',
    -- whether jobs have it without asking for it
    everywhere boolean NOT NULL DEFAULT false
);

INSERT INTO files_shares (name, readers, writers, everywhere) VALUES
    ('gdata', '{default}', '{}', true),
    ('data', '{}', '{default}', true);

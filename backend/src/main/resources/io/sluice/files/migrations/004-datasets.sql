-- The catalogue of datasets. Who brought one, the administrator, and once it is accepted whoever is in one of its groups, see it.
CREATE TABLE files_datasets (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id bigint NOT NULL,
    user_name text NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    -- as tasks see it: /gdata/..., /data/..., /mnt/SHARE/... or s3://...
    path text NOT NULL,
    readers text[] NOT NULL,
    standing text NOT NULL CHECK (standing IN ('proposed', 'accepted', 'declined')),
    -- what the administrator said to it
    word text NOT NULL DEFAULT '',
    changed timestamptz NOT NULL DEFAULT now(),
    -- counted, where counted says when; else as somebody told it
    bytes bigint,
    files bigint,
    counted timestamptz,
    -- why it could not be counted
    fault text NOT NULL DEFAULT '',
    -- when it is counted next; null: it is not
    due timestamptz
);

CREATE UNIQUE INDEX files_datasets_name ON files_datasets (lower(name)) WHERE standing = 'accepted';
CREATE INDEX files_datasets_user ON files_datasets (user_id);
CREATE INDEX files_datasets_due ON files_datasets (due) WHERE due IS NOT NULL;

-- What each user's home and outputs hold: counted as the file centre changes it, and anew by and by, since jobs write without asking.
CREATE TABLE files_usage (
    user_id bigint PRIMARY KEY,
    bytes bigint NOT NULL DEFAULT 0,
    files bigint NOT NULL DEFAULT 0,
    -- when all was counted last, and is again
    counted timestamptz,
    due timestamptz NOT NULL DEFAULT now(),
    -- null: as for everybody; 0: no limit
    most_bytes bigint,
    most_files bigint
);

CREATE INDEX files_usage_due ON files_usage (due);

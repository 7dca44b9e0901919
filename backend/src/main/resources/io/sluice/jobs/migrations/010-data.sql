-- With what people show a store who they are. The secret is sealed with a key that is not in the database.
CREATE TABLE store_keys (
    user_id bigint NOT NULL,
    store text NOT NULL,
    access_key text NOT NULL,
    sealed bytea NOT NULL,
    changed timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, store)
);

-- What a job is brought and what is taken from it, for each attempt: how far it is, and how it ended. Only who leads writes here.
CREATE TABLE job_data (
    job_id bigint NOT NULL,
    attempt integer NOT NULL,
    -- input, output
    way text NOT NULL,
    name text NOT NULL,
    address text NOT NULL,
    -- waiting, moving, done, failed
    state text NOT NULL DEFAULT 'waiting',
    files bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    all_files bigint,
    all_bytes bigint,
    message text,
    changed timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (job_id, attempt, way, name)
);

-- An app, or a port, of a job that people may go to. The id is its name to browsers, and never another's.
-- task and port are of its present life; what is ready goes there and nowhere else.
CREATE TABLE endpoints (
    id text PRIMARY KEY,
    job_id bigint NOT NULL,
    user_name text NOT NULL,
    job_name text NOT NULL,
    name text NOT NULL,
    recipe text NOT NULL,
    role text NOT NULL,
    task_index int NOT NULL,
    asked_port text,
    options json NOT NULL,
    wanted boolean NOT NULL,
    shared text[] NOT NULL DEFAULT '{}',
    portal text,
    state text NOT NULL CHECK (state IN ('waiting', 'starting', 'ready', 'failed', 'off', 'ended')),
    reason text NOT NULL DEFAULT '',
    lines text NOT NULL DEFAULT '',
    task_id bigint,
    run_name text,
    host text,
    port int,
    secret text,
    since timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT endpoints_name UNIQUE (job_id, name)
);
CREATE INDEX endpoints_live ON endpoints (job_id) WHERE state <> 'ended';

-- What lets a browser in: a ticket once, a pass until whoever has it signs out. Only hashes are kept.
CREATE TABLE endpoint_passes (
    hash bytea PRIMARY KEY,
    endpoint text NOT NULL REFERENCES endpoints ON DELETE CASCADE,
    ticket boolean NOT NULL,
    user_id bigint NOT NULL,
    user_name text NOT NULL,
    admin boolean NOT NULL,
    kind text NOT NULL,
    credential text NOT NULL,
    expires timestamptz NOT NULL
);
CREATE INDEX endpoint_passes_expire ON endpoint_passes (expires);

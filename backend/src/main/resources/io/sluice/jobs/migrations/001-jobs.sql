-- A queue. An absent limit is no limit; devices is an object of type → count.
CREATE TABLE virtual_clusters (
    name text PRIMARY KEY,
    description text NOT NULL DEFAULT '',
    cpus int,
    memory_mb int,
    devices jsonb,
    stopped boolean NOT NULL DEFAULT false
);
INSERT INTO virtual_clusters (name, description) VALUES ('default', 'Everybody''s queue');

-- The one gateway that may act on jobs. Whoever takes over raises the epoch, and writes that carry an older one find no row.
CREATE TABLE job_leader (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    owner text NOT NULL,
    epoch bigint NOT NULL,
    until timestamptz NOT NULL,
    install text NOT NULL
);
INSERT INTO job_leader (owner, epoch, until, install) VALUES ('', 0, '-infinity', left(replace(gen_random_uuid()::text, '-', ''), 8));

-- What lists, the queue and the state machine read; what is large and read for one job at a time is in job_specs.
CREATE TABLE jobs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id bigint NOT NULL,
    user_name text NOT NULL,
    name text NOT NULL,
    virtual_cluster text NOT NULL,
    priority int NOT NULL,
    priority_class text,
    preemptible boolean NOT NULL,
    demand jsonb NOT NULL,
    tasks int NOT NULL,
    roles int NOT NULL,
    devices int NOT NULL,
    retry_count int NOT NULL,
    max_run_ms bigint,
    ran_ms bigint NOT NULL DEFAULT 0,
    state text NOT NULL CHECK (state IN ('accepted', 'queued', 'claimed', 'creating', 'started', 'exited', 'finalised')),
    shown text NOT NULL
        CHECK (shown IN ('WAITING', 'RUNNING', 'STOPPING', 'STOPPED', 'SUCCEEDED', 'FAILED', 'UNKNOWN')),
    epoch bigint NOT NULL DEFAULT 0,
    attempt int NOT NULL DEFAULT 0,
    retries int NOT NULL DEFAULT 0,
    user_retries int NOT NULL DEFAULT 0,
    stop boolean NOT NULL DEFAULT false,
    halt int,
    due timestamptz,
    submitted timestamptz NOT NULL DEFAULT now(),
    queued timestamptz NOT NULL DEFAULT now(),
    created timestamptz,
    launched timestamptz,
    completed timestamptz,
    exit_code int,
    waiting jsonb,
    tags text[] NOT NULL DEFAULT '{}',
    idempotency_key text,
    body_hash text,
    changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
    CONSTRAINT jobs_name UNIQUE (user_name, name)
);
CREATE UNIQUE INDEX jobs_idempotency ON jobs (user_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
-- lists, newest first, from any place in them: of all, of a user, of a state, of both
CREATE INDEX jobs_newest ON jobs (submitted DESC, id DESC);
CREATE INDEX jobs_of_user ON jobs (user_name, submitted DESC, id DESC);
CREATE INDEX jobs_in_state ON jobs (shown, submitted DESC, id DESC);
CREATE INDEX jobs_of_user_in_state ON jobs (user_name, shown, submitted DESC, id DESC);
CREATE INDEX jobs_changed ON jobs (changed);
CREATE INDEX jobs_tags ON jobs USING gin (tags) WHERE tags <> '{}';
-- the two small sets that the scheduler looks at, however many jobs have finished
CREATE INDEX jobs_waiting ON jobs (virtual_cluster, priority DESC, submitted, id) WHERE state IN ('accepted', 'queued');
CREATE INDEX jobs_active ON jobs (id) WHERE state IN ('claimed', 'creating', 'started', 'exited');

-- secrets are sealed with the installation's key, which is not in the database; config is what was sent, secrets masked
CREATE TABLE job_specs (
    job_id bigint PRIMARY KEY REFERENCES jobs,
    spec json NOT NULL,
    config text NOT NULL,
    secrets bytea
);

CREATE TABLE job_attempts (
    job_id bigint NOT NULL REFERENCES jobs,
    attempt int NOT NULL,
    created timestamptz NOT NULL DEFAULT now(),
    launched timestamptz,
    completed timestamptz,
    exit_code int,
    cause json,
    PRIMARY KEY (job_id, attempt)
);

-- One row per attempt of a task.
CREATE TABLE tasks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id bigint NOT NULL REFERENCES jobs,
    attempt int NOT NULL,
    role_number int NOT NULL,
    role text NOT NULL,
    task_index int NOT NULL,
    task_attempt int NOT NULL DEFAULT 0,
    state text NOT NULL DEFAULT 'claimed' CHECK (state IN ('claimed', 'creating', 'started', 'exited')),
    run_name text NOT NULL CONSTRAINT tasks_run UNIQUE,
    node text NOT NULL,
    address text NOT NULL,
    devices text[] NOT NULL,
    ports json NOT NULL,
    cpus int NOT NULL,
    memory_mb int NOT NULL,
    retries int NOT NULL DEFAULT 0,
    user_retries int NOT NULL DEFAULT 0,
    due timestamptz,
    created timestamptz NOT NULL DEFAULT now(),
    launched timestamptz,
    completed timestamptz,
    exit_code int,
    cause json,
    CONSTRAINT tasks_attempt UNIQUE (job_id, attempt, role_number, task_index, task_attempt)
);
CREATE INDEX tasks_live ON tasks (job_id) WHERE state <> 'exited';

-- What is given to a task and to no other: the database itself refuses to give a device or a port twice.
CREATE TABLE allocations (
    node text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('device', 'port')),
    item text NOT NULL,
    job_id bigint NOT NULL,
    task_id bigint NOT NULL,
    CONSTRAINT allocations_once PRIMARY KEY (node, kind, item)
);
CREATE INDEX allocations_of_task ON allocations (task_id);

CREATE TABLE job_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id bigint NOT NULL REFERENCES jobs,
    at timestamptz NOT NULL DEFAULT now(),
    attempt int NOT NULL,
    role text,
    task_index int,
    warning boolean NOT NULL DEFAULT false,
    reason text NOT NULL,
    message text NOT NULL
);
CREATE INDEX job_events_of_job ON job_events (job_id, id DESC);

CREATE TABLE job_templates (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id bigint NOT NULL,
    user_name text NOT NULL,
    name text NOT NULL,
    description text NOT NULL DEFAULT '',
    shared boolean NOT NULL DEFAULT false,
    config text NOT NULL,
    changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
    CONSTRAINT job_templates_name UNIQUE (user_id, name)
);

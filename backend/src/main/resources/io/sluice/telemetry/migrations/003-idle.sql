-- A job whose devices do nothing: for how long already, so that a restart does not begin anew, what it was told, and who wants to keep it.
CREATE TABLE idle_jobs (
    job_id bigint PRIMARY KEY REFERENCES jobs ON DELETE CASCADE,
    attempt int NOT NULL,
    cluster text NOT NULL,
    quiet_ms bigint NOT NULL,
    level real NOT NULL,
    seen timestamptz NOT NULL,
    warned timestamptz,
    minutes int,
    action text CHECK (action IN ('WARN', 'STOP', 'REQUEUE')),
    due timestamptz,
    keep_hours int,
    kept_until timestamptz,
    kept_by text,
    done timestamptz
);

-- What is still to be told: to the job's history, to a webhook, by mail. Whoever takes one moves its due time on, and no other takes it meanwhile.
CREATE TABLE idle_notices (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id bigint NOT NULL REFERENCES jobs ON DELETE CASCADE,
    attempt int NOT NULL,
    kind text NOT NULL CHECK (kind IN ('history', 'webhook', 'mail')),
    message json NOT NULL,
    made timestamptz NOT NULL,
    due timestamptz NOT NULL,
    tries int NOT NULL DEFAULT 0
);
CREATE INDEX idle_notices_due ON idle_notices (due);

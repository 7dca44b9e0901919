-- What a task attempt and its devices did, for when no history is left: sums over its life, and its lines in a few hundred points.
CREATE TABLE task_summaries (
    task_id bigint PRIMARY KEY,
    job_id bigint NOT NULL,
    attempt int NOT NULL,
    role text NOT NULL,
    task_index int NOT NULL,
    task_attempt int NOT NULL,
    finished boolean NOT NULL DEFAULT false,
    changed timestamptz NOT NULL DEFAULT now(),
    summary json NOT NULL
);
CREATE INDEX task_summaries_of_job ON task_summaries (job_id, attempt);
CREATE INDEX task_summaries_unfinished ON task_summaries (task_id) WHERE NOT finished;

-- Finished logs, for those who keep and delete them; what is true of a log is told by its files alone. One row per gateway that has the files.
CREATE TABLE kept_logs (
    gateway text NOT NULL,
    task_id bigint NOT NULL,
    file text NOT NULL,
    completed timestamptz NOT NULL,
    stored bigint NOT NULL,
    packed boolean NOT NULL DEFAULT false,
    PRIMARY KEY (gateway, task_id)
);
CREATE INDEX kept_logs_oldest ON kept_logs (gateway, completed, task_id);
CREATE INDEX kept_logs_to_pack ON kept_logs (gateway, completed) WHERE NOT packed;

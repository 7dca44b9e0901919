-- A log goes with its job, so when that ended is known beside it; null while it has not, or runs once more. What is in here is known from the
-- jobs and the files as well: it is taken in anew.
TRUNCATE kept_logs;
ALTER TABLE kept_logs ADD COLUMN job_id bigint NOT NULL, ADD COLUMN job_ended timestamptz;
DROP INDEX kept_logs_oldest;
CREATE INDEX kept_logs_oldest ON kept_logs (gateway, job_ended, job_id, task_id);
CREATE INDEX kept_logs_of_jobs ON kept_logs (gateway, job_id);
CREATE INDEX kept_logs_newest ON kept_logs (gateway, completed);

-- Why it is not known how a job fares, while its engine can not be asked. The job goes on where it runs.
ALTER TABLE jobs ADD COLUMN doubt text;
CREATE INDEX jobs_doubt ON jobs (id) WHERE doubt IS NOT NULL;

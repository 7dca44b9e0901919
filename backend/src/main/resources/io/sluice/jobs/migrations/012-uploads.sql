-- Uploads in parts that were begun and are not finished. What stands here is ours to go on with, and to have thrown away when its job is over.
CREATE TABLE job_uploads (
    job_id bigint NOT NULL,
    user_id bigint NOT NULL,
    store text NOT NULL,
    bucket text NOT NULL,
    key text NOT NULL,
    upload text NOT NULL,
    begun timestamptz NOT NULL DEFAULT now(),
    -- when a store was last asked to throw it away
    tried timestamptz,
    PRIMARY KEY (store, bucket, key, upload)
);
CREATE INDEX job_uploads_job ON job_uploads (job_id, store, bucket, key);

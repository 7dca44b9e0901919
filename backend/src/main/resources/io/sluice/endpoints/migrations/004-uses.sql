-- When somebody was at a job's endpoints, terminals or SSH last, through whichever gateway.
CREATE TABLE endpoint_uses (
    job_id bigint PRIMARY KEY REFERENCES jobs ON DELETE CASCADE,
    used timestamptz NOT NULL
);
CREATE INDEX endpoint_uses_old ON endpoint_uses (used);

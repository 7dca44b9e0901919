-- Lists in other orders. By name, of everybody: the unique index begins with the user.
CREATE INDEX jobs_by_name ON jobs (name, user_name);
-- By how long they took: only of those that are over, so that a job comes into these once.
CREATE INDEX jobs_by_length ON jobs (shown, (coalesce(completed - coalesce(launched, created), interval '0')), id)
    WHERE state = 'finalised';
CREATE INDEX jobs_of_user_by_length ON jobs
    (user_name, shown, (coalesce(completed - coalesce(launched, created), interval '0')), id) WHERE state = 'finalised';

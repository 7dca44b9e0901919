-- What a job that is no gang, and runs in part, still demands; null: nothing. Its roles are those of demand.
ALTER TABLE jobs ADD COLUMN rest jsonb;

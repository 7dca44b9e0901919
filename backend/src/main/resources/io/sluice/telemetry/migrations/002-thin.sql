-- A summary goes with its task; after some time its sums stay and its points go.
DELETE FROM task_summaries s WHERE NOT EXISTS (SELECT FROM tasks t WHERE t.id = s.task_id);
ALTER TABLE task_summaries
    ADD CONSTRAINT task_summaries_task FOREIGN KEY (task_id) REFERENCES tasks ON DELETE CASCADE,
    ADD COLUMN thinned boolean NOT NULL DEFAULT false;
CREATE INDEX task_summaries_thick ON task_summaries (changed) WHERE finished AND NOT thinned;

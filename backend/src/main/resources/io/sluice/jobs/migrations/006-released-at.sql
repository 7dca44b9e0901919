-- When the end of a task was written, by the clock of the database: completed is by the clock of its engine.
ALTER TABLE tasks ADD COLUMN released timestamptz;
DROP INDEX tasks_released;
CREATE INDEX tasks_released ON tasks (released) WHERE state = 'exited' AND devices <> '{}';

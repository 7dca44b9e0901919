-- What a task has on its node, as it was when it got it: what the tasks of a job are told of one another is written from it.
ALTER TABLE tasks ADD COLUMN place json;

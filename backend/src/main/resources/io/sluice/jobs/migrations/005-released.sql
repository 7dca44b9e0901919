-- Devices that were given back lately are looked at before they are given again.
CREATE INDEX tasks_released ON tasks (completed) WHERE state = 'exited' AND devices <> '{}';

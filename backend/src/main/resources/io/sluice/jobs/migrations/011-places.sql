-- In which data folder an attempt's inputs and outputs lie, once its tasks may begin: another gateway may have another. Empty: not known.
ALTER TABLE job_data ADD COLUMN place text;
UPDATE job_data SET place = '';

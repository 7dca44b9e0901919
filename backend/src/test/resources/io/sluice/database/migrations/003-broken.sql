INSERT INTO notes (body) VALUES ('half done');
SELECT 1 / 0;

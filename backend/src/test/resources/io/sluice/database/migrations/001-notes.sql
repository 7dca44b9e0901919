CREATE TABLE notes (body text CONSTRAINT notes_once PRIMARY KEY);

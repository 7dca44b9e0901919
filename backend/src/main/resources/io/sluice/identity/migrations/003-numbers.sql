-- the user ids by which machines know people: given once, never to somebody else, not even when who has it is deleted
CREATE TABLE user_numbers (
    user_id bigint PRIMARY KEY REFERENCES users,
    number integer NOT NULL UNIQUE
);

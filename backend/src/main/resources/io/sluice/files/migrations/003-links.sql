-- What somebody lets others have who are told a link. Of the link only a hash is kept.
CREATE TABLE files_links (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id bigint NOT NULL,
    hash bytea NOT NULL UNIQUE,
    space text NOT NULL,
    -- bytes, each as a character, as everywhere in this room
    path text NOT NULL,
    made timestamptz NOT NULL DEFAULT now(),
    expires timestamptz NOT NULL,
    opened integer NOT NULL DEFAULT 0
);

CREATE INDEX files_links_user ON files_links (user_id, expires);

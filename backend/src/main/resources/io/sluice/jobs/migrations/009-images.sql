-- The catalogue of images. Who brought one and the administrator see it; once it is accepted, everybody.
CREATE TABLE job_images (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id bigint NOT NULL,
    user_name text NOT NULL,
    name text NOT NULL,
    -- what is inside
    description text NOT NULL,
    -- without a tag
    repository text NOT NULL,
    -- the usual one first
    tags text[] NOT NULL,
    framework text NOT NULL,
    device text NOT NULL CHECK (device IN ('any', 'nvidia', 'ascend', 'amd')),
    standing text NOT NULL CHECK (standing IN ('proposed', 'accepted', 'declined')),
    -- what the administrator said to it
    word text NOT NULL DEFAULT '',
    changed timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX job_images_name ON job_images (lower(name)) WHERE standing = 'accepted';
CREATE INDEX job_images_user ON job_images (user_id);

CREATE TABLE users (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    email text NOT NULL DEFAULT '',
    password text NOT NULL,
    admin boolean NOT NULL DEFAULT false,
    disabled boolean NOT NULL DEFAULT false,
    deleted timestamptz,
    virtual_clusters text[] NOT NULL DEFAULT '{}',
    extension jsonb NOT NULL DEFAULT '{}',
    language text,
    theme text,
    created timestamptz NOT NULL DEFAULT now(),
    last_seen timestamptz,
    -- which transactions made and last changed the row: a cursor over these misses no commit
    born xid8 NOT NULL DEFAULT pg_current_xact_id(),
    changed xid8 NOT NULL DEFAULT pg_current_xact_id()
);

-- names that differ in case only would be taken for each other; a deleted user's name is free again
CREATE UNIQUE INDEX users_name ON users (lower(name) text_pattern_ops) WHERE deleted IS NULL;
CREATE INDEX users_email ON users (lower(email) text_pattern_ops) WHERE deleted IS NULL;
CREATE INDEX users_present ON users (id DESC) WHERE deleted IS NULL;
CREATE INDEX users_admins ON users (id) WHERE admin AND NOT disabled AND deleted IS NULL;
CREATE INDEX users_changed ON users (changed);

CREATE FUNCTION users_touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed := pg_current_xact_id();
    RETURN NEW;
END $$;

CREATE TRIGGER users_touch BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION users_touch();

CREATE TABLE user_groups (
    name text PRIMARY KEY,
    description text NOT NULL DEFAULT '',
    external_name text NOT NULL DEFAULT '',
    extension jsonb NOT NULL DEFAULT '{}'
);

INSERT INTO user_groups (name, description) VALUES ('default', 'Everybody');

CREATE TABLE memberships (
    user_id bigint NOT NULL REFERENCES users,
    group_name text NOT NULL REFERENCES user_groups ON DELETE CASCADE,
    PRIMARY KEY (user_id, group_name)
);

CREATE INDEX memberships_group ON memberships (group_name);

CREATE TABLE ssh_keys (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id bigint NOT NULL REFERENCES users,
    name text NOT NULL,
    kind text NOT NULL,
    body text NOT NULL,
    fingerprint text NOT NULL,
    added timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ssh_keys_once UNIQUE (user_id, fingerprint)
);

-- a browser's session, or a sign-in over the API; of refresh tokens only hashes are kept, of signed tokens what is signed
CREATE TABLE sessions (
    id text PRIMARY KEY,
    user_id bigint NOT NULL REFERENCES users,
    kind text NOT NULL CHECK (kind IN ('browser', 'login')),
    refresh bytea,
    previous bytea,
    rotated timestamptz,
    address text NOT NULL,
    client text NOT NULL,
    created timestamptz NOT NULL DEFAULT now(),
    last_seen timestamptz NOT NULL DEFAULT now(),
    expires timestamptz NOT NULL
);

CREATE INDEX sessions_user ON sessions (user_id, kind, created);
CREATE INDEX sessions_expires ON sessions (expires);

CREATE TABLE application_tokens (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id bigint NOT NULL REFERENCES users,
    name text NOT NULL,
    hash bytea NOT NULL UNIQUE,
    scopes text[] NOT NULL,
    created timestamptz NOT NULL DEFAULT now(),
    expires timestamptz,
    last_used timestamptz
);

CREATE INDEX application_tokens_user ON application_tokens (user_id);

-- the times of the last tries to sign in, per account and per address
CREATE TABLE sign_in_tries (
    key text PRIMARY KEY,
    times timestamptz[] NOT NULL
);

CREATE TABLE set_up_links (
    hash bytea PRIMARY KEY,
    expires timestamptz NOT NULL
);

CREATE TABLE identity_settings (
    name text PRIMARY KEY,
    value bytea NOT NULL
);

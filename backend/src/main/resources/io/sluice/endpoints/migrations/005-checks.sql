-- The last check of an endpoint, as far as it is; every gateway shows it.
CREATE TABLE endpoint_checks (
    endpoint text PRIMARY KEY REFERENCES endpoints ON DELETE CASCADE,
    number bigint NOT NULL,
    began timestamptz NOT NULL DEFAULT now(),
    finished boolean NOT NULL DEFAULT false,
    steps json NOT NULL
);

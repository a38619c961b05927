-- What pages list and count, what became of pull requests, and who is logged in.

ALTER TABLE tasks ADD COLUMN title TEXT NOT NULL DEFAULT '';
-- The model that answered; empty where none was asked.
ALTER TABLE tasks ADD COLUMN model TEXT NOT NULL DEFAULT '';
CREATE INDEX tasks_ended ON tasks (updated_at) WHERE verdict IS NOT NULL;
CREATE INDEX tasks_of_repo ON tasks (repo_id, id);
CREATE INDEX tasks_of_name ON tasks (repo_name, id);

-- Pull requests of mend's that were closed.
CREATE TABLE pull_ends (
    repo_id BIGINT NOT NULL,
    number BIGINT NOT NULL,
    merged BIGINT NOT NULL,
    -- Milliseconds since the Unix epoch; 0 where GitHub did not tell.
    opened_at BIGINT NOT NULL,
    ended_at BIGINT NOT NULL,
    -- The last commit on the branch: another than mend's is a person's.
    head_sha TEXT NOT NULL,
    PRIMARY KEY (repo_id, number)
);

-- People who look at pages. The id is a hash of the cookie's secret.
CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    -- 0 and empty for the operator of this machine.
    person_id BIGINT NOT NULL,
    login TEXT NOT NULL,
    -- The person's own token, encrypted under a key that comes from the App's private key.
    sealed TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_old ON sessions (expires_at);

-- What may be used once: the operator's way in, the state of a login. The id is a hash.
CREATE TABLE passes (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    -- What goes with it: of a login, the hash of the browser's cookie and where it goes on.
    value TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX passes_old ON passes (expires_at);

-- Who asked for a task, so that people's tasks can be counted; and the App's live tokens, sealed, so
-- that they can be revoked after a crash.

ALTER TABLE tasks ADD COLUMN person_id BIGINT NOT NULL DEFAULT 0;
CREATE INDEX tasks_person ON tasks (person_id, created_at);
CREATE INDEX tasks_repo_made ON tasks (repo_id, created_at);
CREATE INDEX tasks_installation_made ON tasks (installation_id, created_at);

CREATE TABLE tokens (
    id TEXT NOT NULL PRIMARY KEY,
    -- The process that uses it.
    holder TEXT NOT NULL,
    -- Until when it counts as used; moved ahead while the holder lives.
    held_until BIGINT NOT NULL,
    -- Encrypted under a key that comes from the App's private key.
    sealed TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX tokens_held ON tokens (held_until);

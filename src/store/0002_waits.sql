-- What a parked task waits for, how long it waited for models in all, and the conversation that
-- its next attempt goes on with.

ALTER TABLE tasks ADD COLUMN waits_for TEXT;
ALTER TABLE tasks ADD COLUMN model_waited_ms BIGINT NOT NULL DEFAULT 0;

CREATE TABLE conversations (
    task_id BIGINT NOT NULL PRIMARY KEY REFERENCES tasks (id) ON DELETE CASCADE,
    -- The claim that wrote it last.
    epoch BIGINT NOT NULL,
    state TEXT NOT NULL,
    saved_at BIGINT NOT NULL
);

-- Priorities, and whose turn it is among the installations.

ALTER TABLE tasks ADD COLUMN priority BIGINT NOT NULL DEFAULT 0;
CREATE INDEX tasks_busy ON tasks (installation_id) WHERE state = 'running';

-- The number of an installation's latest claim: who was served longest ago comes first.
CREATE TABLE rotation (
    installation_id BIGINT NOT NULL PRIMARY KEY,
    turn BIGINT NOT NULL
);

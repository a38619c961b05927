-- Why a task is to stop, and until when somebody writes that it waits: meanwhile it is not claimed.

ALTER TABLE tasks ADD COLUMN stop_cause TEXT;
ALTER TABLE tasks ADD COLUMN telling_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN told_place BIGINT;
ALTER TABLE tasks ADD COLUMN told_at BIGINT NOT NULL DEFAULT 0;

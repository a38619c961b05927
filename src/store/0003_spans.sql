-- What a task did, span by span, and the guards that fired on it.

CREATE TABLE spans (
    task_id BIGINT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    -- Within the task, from 1, in the order of opening.
    id BIGINT NOT NULL,
    -- Grows with everything that is written about the task's spans, so that a reader asks for news.
    rev BIGINT NOT NULL,
    parent BIGINT,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    duration_ms BIGINT,
    ended TEXT,
    input TEXT NOT NULL,
    output TEXT NOT NULL,
    attributes TEXT NOT NULL,
    PRIMARY KEY (task_id, id)
);
CREATE INDEX spans_news ON spans (task_id, rev);

CREATE TABLE fired (
    task_id BIGINT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    guard TEXT NOT NULL,
    span_id BIGINT NOT NULL,
    PRIMARY KEY (task_id, guard, span_id)
);
CREATE INDEX fired_guard ON fired (guard);

-- Deliveries, tasks, guidance, effects, notices. {ID} and {BYTES} stand for the database's own types.
-- Times are milliseconds since the Unix epoch.

CREATE TABLE deliveries (
    id {ID},
    guid TEXT NOT NULL UNIQUE,
    event TEXT NOT NULL,
    -- Repository and issue number; deliveries of one lane are admitted in order.
    lane TEXT,
    received_at BIGINT NOT NULL,
    -- When it may be taken; moved ahead while somebody works on it.
    run_at BIGINT NOT NULL,
    payload {BYTES} NOT NULL,
    state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'done', 'ignored', 'failed')),
    attempts BIGINT NOT NULL DEFAULT 0,
    error TEXT
);
CREATE INDEX deliveries_new ON deliveries (id) WHERE state = 'new';
CREATE INDEX deliveries_lane ON deliveries (lane, id) WHERE state = 'new';
CREATE INDEX deliveries_old ON deliveries (received_at);

CREATE TABLE tasks (
    id {ID},
    key TEXT NOT NULL UNIQUE,
    repo_id BIGINT NOT NULL,
    issue_id BIGINT NOT NULL,
    issue_number BIGINT NOT NULL,
    installation_id BIGINT NOT NULL,
    repo_name TEXT NOT NULL,
    trigger_json TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'dead')),
    step TEXT,
    run_at BIGINT NOT NULL,
    attempt BIGINT NOT NULL DEFAULT 0,
    max_attempts BIGINT NOT NULL,
    lease_owner TEXT,
    lease_until BIGINT,
    -- Grows with every claim and every loss of a lease: the fencing token.
    epoch BIGINT NOT NULL DEFAULT 0,
    cancel_requested BIGINT NOT NULL DEFAULT 0,
    status_comment_id BIGINT,
    store_path TEXT,
    head_sha TEXT,
    base_sha TEXT,
    pr_number BIGINT,
    verdict TEXT,
    result TEXT,
    error TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
-- At most one task of an issue runs; losing this race is how a second worker learns of the first.
CREATE UNIQUE INDEX tasks_one_running ON tasks (repo_id, issue_id) WHERE state = 'running';
CREATE INDEX tasks_queued ON tasks (run_at, id) WHERE state = 'queued';
CREATE INDEX tasks_waiting ON tasks (repo_id, issue_id, id) WHERE state = 'queued';
CREATE INDEX tasks_leases ON tasks (lease_until) WHERE state = 'running';
CREATE INDEX tasks_untold ON tasks (id) WHERE state = 'dead' AND verdict IS NULL;
CREATE INDEX tasks_issue ON tasks (repo_id, issue_id, id);
CREATE INDEX tasks_pull ON tasks (repo_id, pr_number) WHERE pr_number IS NOT NULL;

CREATE TABLE steer (
    id {ID},
    task_id BIGINT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    -- The epoch that took it; a later attempt takes it again.
    taken BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX steer_task ON steer (task_id, id);

-- What was made outside, by task or delivery: looked up before it is made again.
CREATE TABLE effects (
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    PRIMARY KEY (scope, name)
);

-- What people were told lately, so that nobody is told the same thing again and again.
CREATE TABLE notices (
    key TEXT NOT NULL PRIMARY KEY,
    holder TEXT NOT NULL,
    told_at BIGINT NOT NULL
);

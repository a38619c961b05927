-- What tasks used of models, by day (UTC, in whole days since the Unix epoch), for budgets that all
-- workers share.

CREATE TABLE spending (
    task_id BIGINT NOT NULL,
    day BIGINT NOT NULL,
    repo_id BIGINT NOT NULL,
    installation_id BIGINT NOT NULL,
    turns BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    -- Millionths of a dollar; 0 where no price is configured.
    microdollars BIGINT NOT NULL,
    PRIMARY KEY (task_id, day)
);
CREATE INDEX spending_repo ON spending (repo_id, day);
CREATE INDEX spending_installation ON spending (installation_id, day);

-- Until when GitHub wants no request of an installation.

CREATE TABLE pauses (
    installation_id BIGINT NOT NULL PRIMARY KEY,
    -- Seconds since the Unix epoch.
    until_s BIGINT NOT NULL,
    -- Whether it is the limit on bursts (1) or the hourly one (0).
    secondary BIGINT NOT NULL
);

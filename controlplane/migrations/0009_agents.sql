-- +goose Up

alter table agent
    add column draining      boolean     not null default false,
    add column degraded      text[]      not null default '{}',
    add column seen_online   boolean     not null default false,
    add column seen_since    timestamptz,
    add column told_online   boolean     not null default false,
    add column told_gone_at  timestamptz,
    add column back_by       timestamptz,
    add column flapping_since timestamptz;
comment on column agent.draining is 'An administrator wants no new tasks to go there.';
comment on column agent.degraded is 'Why an agent that is online works less well than it should: clock_skew, spool_nearly_full, spool_failed, version_below_minimum.';
comment on column agent.seen_online is 'Whether the agent was there when presence was looked at last; seen_since: since when it is as it was then.';
comment on column agent.told_online is 'What the last recorded event of presence says; told_gone_at: when the last agent.offline was recorded.';
comment on column agent.back_by is 'The agent has left with notice: it counts as gone only when it is not back by then.';
comment on column agent.flapping_since is 'The agent comes and goes more often than is recorded, since then.';

alter table agent_session
    add column hostname  text,
    add column machine   text,
    add column ip        text,
    add column draining  boolean     not null default false,
    add column proved_at timestamptz;
comment on column agent_session.machine is 'A fingerprint of the host, by which a copy of it is told apart.';
comment on column agent_session.draining is 'The agent says that it takes no new tasks.';
comment on column agent_session.proved_at is 'When the connection last answered a question that only a living one can answer.';

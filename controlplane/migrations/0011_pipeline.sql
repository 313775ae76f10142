-- +goose Up

create table kept_answer (
    tenant_id   uuid        not null references tenant,
    subject     text        not null,
    key         uuid        not null,
    claim       uuid        not null,
    fingerprint bytea       not null,
    asked_at    timestamptz not null,
    lease_until timestamptz not null,
    status      int,
    headers     jsonb,
    answer      bytea,
    constraint kept_answer_pk primary key (tenant_id, subject, key),
    constraint kept_answer_whole check ((status is null) = (answer is null) and (status is null) = (headers is null)),
    constraint kept_answer_fingerprint_size check (octet_length(fingerprint) = 32)
);
comment on table kept_answer is
    'The answers of writes that carried an Idempotency-Key, for 24 hours from the first try. Without a status somebody works on it, until the lease ends.';
comment on column kept_answer.subject is 'Whose key it is: a kind of viewer and its id, not a token, which changes.';
comment on column kept_answer.claim is 'Who works on it. An answer is kept only by whoever still holds the claim.';
comment on column kept_answer.answer is 'The body, sealed.';
call secure_tenant_table('kept_answer');
call readable_across('kept_answer', 'tenant_id, asked_at');
create index kept_answer_by_age on kept_answer (asked_at);

-- How fast tokens are used concerns no tenant and need not survive: what a crash forgets is a second's worth of requests.
create unlogged table rate_standing (
    key        bytea       not null,
    writer     uuid        not null,
    full_until timestamptz not null,
    since      timestamptz not null,
    cost       interval    not null,
    constraint rate_standing_pk primary key (key)
);
comment on table rate_standing is
    'What all processes together have let through for a token: the theoretical arrival time of its next request (GCRA). The key is a hash.';
comment on column rate_standing.writer is 'Whose reckoning full_until is: while nobody else writes, it is exact.';
comment on column rate_standing.since is 'When the first of the requests came that the last writer has added.';
comment on column rate_standing.cost is 'What those requests fill.';
grant select, insert, update, delete on rate_standing to grantwright_app;

create unlogged table rate_process (
    id      uuid        not null,
    seen_at timestamptz not null,
    constraint rate_process_pk primary key (id)
);
comment on table rate_process is 'Processes that answer requests. Each takes its part of a rate while the database cannot be asked.';
grant select, insert, update, delete on rate_process to grantwright_app;

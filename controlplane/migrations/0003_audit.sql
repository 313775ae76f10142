-- +goose Up

-- The audit log: a chain of hashes for each tenant, its checkpoints, and streams to other systems.

-- Functions are created before the tables that they read.
set local check_function_bodies = off;

create table audit_event (
    tenant_id    uuid        not null,
    seq          bigint      not null,
    event        text        not null,
    prev_hash    bytea       not null,
    hash         bytea       not null,
    at           timestamptz not null,
    action       text        not null,
    category     text        not null,
    outcome      text        not null,
    actor_type   text        not null,
    actor_id     text,
    subject_type text        not null default '',
    subject_id   text,
    request_id   text,
    constraint audit_event_pk primary key (tenant_id, seq)
);
comment on table audit_event is
    'One audit log entry: who did what. Only audit_append() and audit_append_all() write entries, in the '
    'transaction of the action. hash = SHA-256("IGA-AUDIT-V1" 0x00, prev_hash, event). The foreign key to the '
    'tenant is on audit_head, because a check for every entry would be costly.';
comment on column audit_event.event is 'The entry in canonical JSON (RFC 8785), byte for byte as it was hashed.';
call secure_tenant_table('audit_event', 'select');
create index audit_event_by_actor on audit_event (tenant_id, actor_id, action, category, outcome, actor_type, subject_type, seq) where actor_id is not null;
create index audit_event_by_kind on audit_event (tenant_id, action, category, outcome, actor_type, subject_type, seq);
create index audit_event_by_request on audit_event (tenant_id, request_id, seq) where request_id is not null;
create index audit_event_by_subject on audit_event (tenant_id, subject_id, seq) where subject_id is not null;
-- What entries are narrowed by has few values, and they come in a few hundred kinds. The index by kind leads from one kind to the next,
-- and gives the newest and the number of each; so does that by actor for whoever does much.
create index audit_event_by_time on audit_event (tenant_id, at) include (seq, action, category, outcome, actor_type, actor_id, subject_type, subject_id);

create table audit_head (
    tenant_id uuid   not null references tenant,
    seq       bigint not null default 0,
    hash      bytea  not null default decode(repeat('00', 32), 'hex'),
    constraint audit_head_pk primary key (tenant_id)
);
comment on table audit_head is
    'Last sequence number of a tenant''s audit log. Locking this row makes the sequence gapless.';
comment on column audit_head.hash is
    'Hash of the last entry, which the next entry includes. It is 32 zero bytes before the first entry.';
call secure_tenant_table('audit_head', 'select');
call readable_across('audit_head');

create table audit_checkpoint (
    tenant_id uuid        not null references tenant,
    seq       bigint      not null,
    hash      bytea       not null,
    kid       text        not null,
    note      text        not null,
    at        timestamptz not null default now(),
    constraint audit_checkpoint_pk primary key (tenant_id, seq)
);
comment on table audit_checkpoint is
    'One signed statement of the last sequence number and hash of a tenant''s audit log, as a C2SP signed note.';
call secure_tenant_table('audit_checkpoint', 'select, insert');
call readable_across('audit_checkpoint', 'tenant_id, seq, at');

create table audit_retention (
    tenant_id  uuid        not null references tenant,
    days       int         not null default 400,
    updated_at timestamptz not null default now(),
    version    int         not null default 1,
    constraint audit_retention_pk primary key (tenant_id),
    constraint audit_retention_least check (days between 90 and 36500)
);
comment on table audit_retention is
    'Retention period of a tenant''s audit log, at least 90 days. Without a row it is 400 days.';
call secure_tenant_table('audit_retention', 'select, insert, update');

create table audit_stream (
    tenant_id       uuid        not null references tenant,
    id              uuid        not null,
    name            text        not null,
    kind            text        not null,
    url             text        not null,
    format          text        not null,
    header          text        not null default 'Authorization',
    header_value    bytea,
    ca              bytea,
    enabled         boolean     not null default true,
    last_seq        bigint      not null,
    last_checkpoint bigint      not null default 0,
    skipped         bigint      not null default 0,
    attempts        int         not null default 0,
    next_at         timestamptz not null default now(),
    lease           uuid,
    lease_until     timestamptz,
    last_error      text,
    last_sent_at    timestamptz,
    created_at      timestamptz not null default now(),
    updated_at      timestamptz not null default now(),
    version         int         not null default 1,
    constraint audit_stream_pk primary key (tenant_id, id),
    constraint audit_stream_name_unique unique (tenant_id, name),
    constraint audit_stream_format_known check (format in ('ndjson', 'ocsf')),
    constraint audit_stream_kind_known check (kind in ('https', 'syslog'))
);
comment on table audit_stream is
    'One destination to which a tenant''s new audit log entries are sent. The column last_seq is the last entry '
    'that was delivered.';
comment on column audit_stream.header_value is
    'Value of the HTTP header, encrypted and bound to its row and column, as is ca. Null if no value is set.';
call secure_tenant_table('audit_stream');
call readable_across('audit_stream', 'tenant_id, id, enabled, last_seq, last_checkpoint, next_at, lease_until');

-- Number, time and hash are given where the row of audit_head is locked. The lock lasts until the caller's transaction ends, so a
-- tenant's numbers become visible in their order and without a gap.
-- +goose StatementBegin
create function audit_append(before_seq text, before_time text) returns bigint language plpgsql security definer
    set search_path = public, pg_temp
as $$
declare
    tenant uuid := current_tenant();
    n      bigint;
    prev   bytea;
    now_is timestamptz;
    line   text;
    body   jsonb;
    h      bytea;
begin
    loop
        select seq + 1, hash into n, prev from audit_head where tenant_id = tenant for update;
        exit when found;
        insert into audit_head (tenant_id) values (tenant) on conflict do nothing;
    end loop;
    now_is := date_trunc('milliseconds', clock_timestamp());
    line := before_seq || n || before_time || to_char(now_is at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}';
    h := sha256('\x4947412d41554449542d563100'::bytea || prev || convert_to(line, 'UTF8'));
    body := line::jsonb;
    insert into audit_event (tenant_id, seq, event, prev_hash, hash, at, action, category, outcome, actor_type, actor_id, subject_type, subject_id, request_id)
    values (tenant, n, line, prev, h, now_is, body ->> 'action', body ->> 'category', body ->> 'outcome', body -> 'actor' ->> 'type', body -> 'actor' ->> 'id',
            coalesce(body -> 'subject' ->> 'type', ''), body -> 'subject' ->> 'id', body -> 'context' ->> 'request_id');
    update audit_head set seq = n, hash = h where tenant_id = tenant;
    return n;
end $$;
-- +goose StatementEnd
comment on function audit_append is
    'Adds one entry to the audit log of the current tenant and returns its sequence number. The arguments are the '
    'canonical text before the number, and the text between the number and the time. Only this function and '
    'audit_append_all() write the log.';
revoke all on function audit_append from public;
grant execute on function audit_append to grantwright_app;

-- +goose StatementBegin
create function audit_trim(through bigint, batch int) returns int language plpgsql security definer
    set search_path = public, pg_temp
as $$
declare
    tenant uuid := current_tenant();
    gone   int;
begin
    if not exists (select from audit_checkpoint where tenant_id = tenant and seq = through) then
        raise exception 'there is no checkpoint at entry %', through;
    end if;
    if not exists (select from audit_event where tenant_id = tenant and action = 'audit.trimmed' and (event::json -> 'context' ->> 'through_seq')::bigint = through) then
        raise exception 'the log does not say that it was cut at entry %', through;
    end if;
    delete from audit_event
     where tenant_id = tenant
       and seq in (select e.seq from audit_event e
                    where e.tenant_id = tenant and e.seq <= through and e.at < now() - interval '90 days'
                    order by e.seq limit batch);
    get diagnostics gone = row_count;
    delete from audit_checkpoint where tenant_id = tenant and seq < through;
    return gone;
end $$;
-- +goose StatementEnd
comment on function audit_trim is
    'Deletes a batch of the oldest audit log entries up to a checkpoint and returns their number. The log must '
    'contain an entry about the trimming. Entries younger than 90 days are never deleted. No other function '
    'shortens the log, except purge_tenant().';
revoke all on function audit_trim from public;
grant execute on function audit_trim to grantwright_app;

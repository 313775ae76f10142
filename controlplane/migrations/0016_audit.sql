-- +goose Up

-- The log becomes a chain: each entry is kept as the very text that was hashed. What is filtered by is taken from that text when the
-- entry is added, and verifying the log holds it against the text again. (Columns generated for each of them would read the text once
-- more for every column, which doubles what an entry costs.)
alter table audit_event rename to audit_event_before;
alter table audit_event_before rename constraint audit_event_pk to audit_event_before_pk;
alter table audit_event_before no force row level security;
alter table audit_head no force row level security;

alter table audit_head add column hash bytea not null default decode(repeat('00', 32), 'hex');
comment on column audit_head.hash is 'The hash of the last entry: the one that the next entry continues. 32 zero bytes before the first.';

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
    'Who did what, written in the doer''s transaction by audit_append and by nothing else. hash = SHA-256("IGA-AUDIT-V1" 0x00, prev_hash, event). That the tenant exists is audit_head''s foreign key; one of its own would be checked for every entry.';
comment on column audit_event.event is 'The entry in canonical form (RFC 8785), byte for byte as it was hashed.';

-- +goose StatementBegin
create function canonical_before_0016(v jsonb) returns text language plpgsql immutable
as $$
declare out text;
begin
    case jsonb_typeof(v)
    when 'object' then
        select '{' || coalesce(string_agg(to_json(key)::text || ':' || canonical_before_0016(value), ',' order by key collate "C"), '') || '}'
          into out from jsonb_each(v);
    when 'array' then
        select '[' || coalesce(string_agg(canonical_before_0016(value), ',' order by n), '') || ']'
          into out from jsonb_array_elements(v) with ordinality as e (value, n);
    when 'number' then
        if v::numeric = 0 then
            out := '0';
        elsif abs(v::numeric) >= 1e21 or abs(v::numeric) < 1e-6 then
            out := regexp_replace((v::numeric)::float8::text, 'e([+-])0', 'e\1');
        else
            out := trim_scale(v::numeric)::text;
        end if;
    else out := v::text;
    end case;
    return out;
end $$;

create function category_before_0016(action text) returns text language sql immutable
as $$
    select case split_part(action, '.', 1)
               when 'auth' then 'authentication' when 'user' then 'account' when 'identity' then 'identity'
               when 'account' then 'account' when 'accounts' then 'account' when 'entitlement' then 'entitlement'
               when 'grant' then 'grant' when 'connector' then 'connector' when 'sync_run' then 'sync'
               when 'agent' then 'agent' when 'tenant' then 'tenant'
               else 'settings'
           end
$$;

-- Entries from before the chain are chained as they were found; one more entry says so, and how many they are.
create procedure chain_before_0016() language plpgsql
as $$
declare
    e       record;
    tenant  uuid;
    n       bigint := 0;
    prev    bytea;
    genesis constant bytea := decode(repeat('00', 32), 'hex');
    domain  constant bytea := convert_to('IGA-AUDIT-V1', 'UTF8') || '\x00'::bytea;
    stamp   constant text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
    line    text;
    h       bytea;
begin
    for e in
        select b.tenant_id, b.seq, date_trunc('milliseconds', b.at) as at,
               jsonb_build_object(
                   'action', b.action, 'category', category_before_0016(b.action), 'outcome', b.outcome, 'seq', b.seq, 'tenant_id', b.tenant_id,
                   'actor', (b.actor - 'kind' - 'session') || jsonb_strip_nulls(jsonb_build_object(
                       'type', coalesce(b.actor -> 'kind', '"system"'), 'token_id', b.actor -> 'session')),
                   'subject', b.subject, 'context', b.context,
                   'changes', coalesce((
                       select jsonb_agg(jsonb_build_object('field', c -> 'field', 'before', c -> 'from', 'after', c -> 'to'))
                         from jsonb_array_elements(b.changes) c), '[]')) as body
          from audit_event_before b
         union all
        select b.tenant_id, max(b.seq) + 1, date_trunc('milliseconds', clock_timestamp()),
               jsonb_build_object('action', 'audit.chain_started', 'category', 'settings', 'outcome', 'success', 'changes', '[]'::jsonb,
                   'actor', jsonb_build_object('type', 'system', 'display', 'system'), 'subject', jsonb_build_object('type', 'tenant', 'id', b.tenant_id),
                   'context', jsonb_build_object('entries_before', max(b.seq)), 'seq', max(b.seq) + 1, 'tenant_id', b.tenant_id)
          from audit_event_before b
         group by b.tenant_id
         order by 1, 2
    loop
        if tenant is distinct from e.tenant_id then
            tenant := e.tenant_id;
            n := 0;
            prev := genesis;
        end if;
        n := n + 1;
        if e.seq <> n then
            raise exception 'the audit log of tenant % has no entry %', tenant, n;
        end if;
        line := canonical_before_0016(e.body || jsonb_build_object('time', to_char(e.at at time zone 'UTC', stamp)));
        h := sha256(domain || prev || convert_to(line, 'UTF8'));
        insert into audit_event (tenant_id, seq, event, prev_hash, hash, at, action, category, outcome, actor_type, actor_id, subject_type, subject_id, request_id)
        values (tenant, n, line, prev, h, e.at, e.body ->> 'action', e.body ->> 'category', e.body ->> 'outcome', e.body -> 'actor' ->> 'type', e.body -> 'actor' ->> 'id',
                coalesce(e.body -> 'subject' ->> 'type', ''), e.body -> 'subject' ->> 'id', e.body -> 'context' ->> 'request_id');
        update audit_head set seq = n, hash = h where tenant_id = tenant;
        prev := h;
    end loop;
end $$;
-- +goose StatementEnd
call chain_before_0016();
drop procedure chain_before_0016();
drop function category_before_0016(text);
drop function canonical_before_0016(jsonb);
drop table audit_event_before;

alter table audit_head force row level security;
call secure_tenant_table('audit_event', 'select');
revoke insert, update, delete on audit_head from grantwright_app;
call readable_across('audit_head');

-- What entries are narrowed by has few values, and they come in a few hundred kinds. The index by kind leads from one kind to the next,
-- and gives the newest and the number of each; so does that by actor for whoever does much.
create index audit_event_by_time on audit_event (tenant_id, at) include (seq, action, category, outcome, actor_type, actor_id, subject_type, subject_id);
create index audit_event_by_kind on audit_event (tenant_id, action, category, outcome, actor_type, subject_type, seq);
create index audit_event_by_actor on audit_event (tenant_id, actor_id, action, category, outcome, actor_type, subject_type, seq) where actor_id is not null;
create index audit_event_by_subject on audit_event (tenant_id, subject_id, seq) where subject_id is not null;
create index audit_event_by_request on audit_event (tenant_id, request_id, seq) where request_id is not null;

-- Number, time and hash are given where the row of audit_head is locked. The lock lasts until the caller's transaction ends, so a
-- tenant's numbers become visible in their order and without a gap.
-- +goose StatementBegin
create function audit_append(before_seq text, before_time text) returns bigint language plpgsql volatile security definer
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
    'Adds an entry to the log of the transaction''s tenant: its canonical text up to the number, and from there up to the time. The only way to write the log.';
revoke all on function audit_append(text, text) from public;
grant execute on function audit_append(text, text) to grantwright_app;

create table audit_checkpoint (
    tenant_id uuid        not null references tenant,
    seq       bigint      not null,
    hash      bytea       not null,
    kid       text        not null,
    note      text        not null,
    at        timestamptz not null default now(),
    constraint audit_checkpoint_pk primary key (tenant_id, seq)
);
comment on table audit_checkpoint is 'Signed statements of how far a tenant''s log reached and what its last hash was (C2SP signed note).';
call secure_tenant_table('audit_checkpoint', 'select, insert');
call readable_across('audit_checkpoint', 'tenant_id, seq, at');

alter table signing_key drop constraint signing_key_audience_known;
alter table signing_key add constraint signing_key_audience_known check (audience in ('api', 'agent', 'refresh', 'enroll', 'callback', 'audit'));

create table audit_retention (
    tenant_id  uuid        not null references tenant,
    days       int         not null default 400,
    updated_at timestamptz not null default now(),
    version    int         not null default 1,
    constraint audit_retention_pk primary key (tenant_id),
    constraint audit_retention_least check (days between 90 and 36500)
);
comment on table audit_retention is 'How long a tenant keeps its log; without a row 400 days.';
call secure_tenant_table('audit_retention', 'select, insert, update');

-- +goose StatementBegin
create function audit_trim(through bigint, batch int) returns int language plpgsql volatile security definer
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
    'Drops a batch of the oldest entries up to a checkpoint, once the log itself says so, and never one younger than 90 days. The only way to make the log shorter.';
revoke all on function audit_trim(bigint, int) from public;
grant execute on function audit_trim(bigint, int) to grantwright_app;

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
    constraint audit_stream_kind_known check (kind in ('https', 'syslog')),
    constraint audit_stream_format_known check (format in ('ndjson', 'ocsf'))
);
comment on table audit_stream is 'Where a tenant''s log is sent as it grows. last_seq is the last entry that was taken there.';
comment on column audit_stream.header_value is 'Sealed for its row and column, as is ca.';
call secure_tenant_table('audit_stream');
call readable_across('audit_stream', 'tenant_id, id, enabled, last_seq, last_checkpoint, next_at, lease_until');

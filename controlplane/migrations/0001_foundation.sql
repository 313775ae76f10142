-- +goose Up

-- Tenants, keys, events, and what all other subjects build on.

-- Functions are created before the tables that they read.
set local check_function_bodies = off;

-- +goose StatementBegin
create function current_tenant() returns uuid language sql stable parallel safe
as $$ select nullif(current_setting('app.tenant_id', true), '')::uuid $$;
-- +goose StatementEnd
comment on function current_tenant is
    'Returns the tenant of the current transaction, or null. nullif is needed, because a setting local to an '
    'earlier transaction reads as an empty string.';

-- +goose StatementBegin
create procedure secure_tenant_table(IN t regclass, IN rights text DEFAULT 'select, insert, update, delete') language plpgsql
as $$
begin
    execute format('alter table %s enable row level security', t);
    execute format('alter table %s force row level security', t);
    execute format('create policy tenant_only on %s using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()))', t);
    execute format('grant %s on %s to grantwright_app', rights, t);
end $$;
-- +goose StatementEnd
comment on procedure secure_tenant_table is
    'Enables and forces row-level security on a table with a tenant_id, and grants the application its '
    'permissions. The policy uses a subselect, which is evaluated once per statement and not once per row. Called '
    'in migrations.';

-- +goose StatementBegin
create procedure readable_across(IN t regclass, IN columns text DEFAULT NULL::text) language plpgsql
as $$
begin
    execute format('create policy across_read on %s for select to grantwright_across using (true)', t);
    if columns is null then
        execute format('grant select on %s to grantwright_across', t);
    else
        execute format('grant select (%s) on %s to grantwright_across', columns, t);
    end if;
end $$;
-- +goose StatementEnd
comment on procedure readable_across is
    'Opens a table to the restricted role that finds due work across all tenants. That role can only read; all '
    'writes run in the context of one tenant. Called in migrations.';

-- +goose StatementBegin
create function new_event_id() returns uuid language sql
as $$
    select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
$$;
-- +goose StatementEnd
comment on function new_event_id is
    'Returns a new UUID of version 7 (RFC 9562). It serves statements that create thousands of rows.';

create table tenant (
    id            uuid        not null,
    slug          text        not null,
    name          text        not null,
    status        text        not null default 'active',
    funnel_state  text        not null default 'bootstrapped',
    settings      jsonb       not null default '{}',
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now(),
    version       int         not null default 1,
    region        text        not null default '',
    limits        jsonb       not null default '{}',
    status_reason text,
    closed_at     timestamptz,
    purge_after   timestamptz,
    closed_by     jsonb,
    purged        jsonb       not null default '{}',
    constraint tenant_pk primary key (id),
    constraint tenant_slug_unique unique (slug),
    constraint tenant_slug_shape check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
    constraint tenant_status_known check (status in ('active', 'suspended', 'closing'))
);
comment on table tenant is
    'A customer. All other tables have a tenant_id, except the tables of the whole deployment: deployment, '
    'deployment_secret, recurring_work, signing_key, login_failure, login_success, passkey_challenge, rate_process, '
    'rate_standing and schema_migration.';
comment on column tenant.limits is
    'Request limits for tokens without a rate of their own: rps and burst. A missing value means the default.';
comment on column tenant.status_reason is
    'The operator''s reason for suspending or closing the tenant. Null while it is active.';
comment on column tenant.purge_after is
    'End of the grace period of a closing tenant. After it, all data of the tenant is deleted and it cannot be '
    'reopened. Null unless it is closing.';
comment on column tenant.closed_by is
    'The administrator who closed the tenant: tenant, id and display. It also contains status, the tenant''s '
    'status before closing. Null unless it is closing.';
comment on column tenant.purged is 'Number of rows deleted so far in each table.';
alter table tenant enable row level security;
alter table tenant force row level security;
grant select, insert, update on tenant to grantwright_app;
call readable_across('tenant');
create policy tenant_itself on tenant using ((id = ( SELECT current_tenant() AS current_tenant))) with check ((id = ( SELECT current_tenant() AS current_tenant)));
create index tenant_by_creation on tenant (created_at, id);
create index tenant_closing on tenant (purge_after) where status = 'closing';

create table tenant_key (
    tenant_id  uuid        not null references tenant,
    version    int         not null,
    wrapped    bytea       not null,
    created_at timestamptz not null default now(),
    settled_at timestamptz,
    constraint tenant_key_pk primary key (tenant_id, version)
);
comment on table tenant_key is
    'One data key of a tenant, encrypted with the deployment''s key. Deleting it makes the tenant''s secrets '
    'permanently unreadable.';
comment on column tenant_key.settled_at is
    'When a rotation finished encrypting all values of the tenant with this key. Null during a rotation and for '
    'the first key.';
call secure_tenant_table('tenant_key');

create table signing_key (
    kid          text        not null,
    audience     text        not null,
    sealed       bytea       not null,
    public_key   bytea       not null,
    state        text        not null default 'active',
    created_at   timestamptz not null default now(),
    activated_at timestamptz,
    ended_at     timestamptz,
    constraint signing_key_pk primary key (kid),
    constraint signing_key_audience_known check (audience in ('api', 'agent', 'refresh', 'enroll', 'callback', 'audit')),
    constraint signing_key_state_known check (state in ('next', 'active', 'verify_only', 'retired'))
);
comment on table signing_key is
    'One Ed25519 signing key of the deployment, with its private half encrypted. Each audience has one active '
    'key.';
comment on column signing_key.ended_at is
    'When the key stopped signing, because it changed to verify_only or was retired. Null until then.';
grant select, insert, update on signing_key to grantwright_app;

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
    constraint kept_answer_fingerprint_size check (octet_length(fingerprint) = 32),
    constraint kept_answer_whole check ((status is null) = (answer is null) and (status is null) = (headers is null))
);
comment on table kept_answer is
    'Stored response to a write request with an Idempotency-Key, kept for 24 hours from the first attempt. While '
    'status is null, a process is working on the request until the lease ends.';
comment on column kept_answer.subject is
    'Kind and ID of the caller that sent the key. It is not the token, because tokens change.';
comment on column kept_answer.claim is
    'ID of the attempt that is processing the request. Only the current attempt can store a response.';
comment on column kept_answer.answer is 'Response body, encrypted. Null while the request is in progress.';
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
    'Combined request usage of one token across all processes: the theoretical arrival time of its next request '
    '(GCRA). The key is a hash.';
comment on column rate_standing.writer is
    'Process that calculated full_until. While no other process writes, that calculation is exact.';
comment on column rate_standing.since is 'When the first of the requests arrived that the last writer added.';
comment on column rate_standing.cost is 'Time that the last writer''s requests add to the usage.';
grant select, insert, update, delete on rate_standing to grantwright_app;

create unlogged table rate_process (
    id      uuid        not null,
    seen_at timestamptz not null,
    constraint rate_process_pk primary key (id)
);
comment on table rate_process is
    'One control plane process that serves requests. While the database is unavailable, each process applies its '
    'share of the rate limits.';
grant select, insert, update, delete on rate_process to grantwright_app;

create table deployment (
    only_row   boolean     not null default true,
    epoch      bigint      not null default 0,
    changed_at timestamptz not null default now(),
    mail       boolean     not null default false,
    constraint deployment_pk primary key (only_row),
    constraint deployment_one_row check (only_row)
);
comment on table deployment is
    'Data of the whole deployment, in a single row. A restore raises the epoch. Tokens contain the epoch, so '
    'tokens from before the restore are rejected.';
comment on column deployment.mail is
    'True if the operators configured a mail server for all tenants. Each process writes it when it starts.';
grant select, update on deployment to grantwright_app;
grant select on deployment to grantwright_across;

create table event_wish (
    tenant_id uuid not null references tenant,
    listener  text not null,
    kind      text not null,
    constraint event_wish_pk primary key (tenant_id, listener, kind)
);
comment on table event_wish is
    'One kind of event to which a listener of a tenant subscribes. Events without a subscription are not written.';
call secure_tenant_table('event_wish');

create table event (
    tenant_id     uuid        not null,
    id            uuid        not null default new_event_id(),
    kind          text        not null,
    resource_type text        not null,
    resource_id   uuid        not null,
    sequence      bigint      not null,
    version       int,
    changed       text[]      not null default '{}',
    data          jsonb       not null default '{}',
    at            timestamptz not null default clock_timestamp(),
    constraint event_pk primary key (tenant_id, id)
);
comment on table event is
    'One event, written in the transaction of the change. It is deleted after 30 days, unless a listener still '
    'has to process it.';
comment on column event.sequence is
    'Sequence number among the events of the same resource. A receiver uses it to discard an event that arrives '
    'late.';
call secure_tenant_table('event');
create index event_by_time on event (tenant_id, at, id);

create table event_head (
    tenant_id     uuid   not null,
    resource_type text   not null,
    resource_id   uuid   not null,
    sequence      bigint not null,
    constraint event_head_pk primary key (tenant_id, resource_type, resource_id)
);
comment on table event_head is 'Last event sequence number of a resource.';
call secure_tenant_table('event_head');

create sequence event_order;
grant usage on sequence event_order to grantwright_app;
create table event_due (
    tenant_id uuid   not null,
    listener  text   not null,
    n         bigint not null default nextval('event_order'::regclass),
    event_id  uuid   not null,
    constraint event_due_pk primary key (tenant_id, listener, n)
);
comment on table event_due is
    'One event that a listener still has to process. The listener deletes the row in its own transaction. No '
    'event is lost, even if its transaction commits late.';
call secure_tenant_table('event_due');
call readable_across('event_due', 'tenant_id, listener');

-- Work that is due. Rows are added and taken, never changed by whoever adds one: nobody waits for another transaction to enqueue.
create table work_item (
    tenant_id   uuid        not null references tenant,
    id          bigint      not null generated always as identity,
    public_id   uuid        not null default gen_random_uuid(),
    kind        text        not null,
    subject     uuid        not null default '00000000-0000-0000-0000-000000000000',
    cause       text        not null default '',
    priority    smallint    not null default 0,
    due_at      timestamptz not null default now(),
    state       text        not null default 'waiting',
    attempts    int         not null default 0,
    last_error  text,
    failed_at   timestamptz,
    enqueued_at timestamptz not null default now(),
    constraint work_item_pk primary key (tenant_id, id),
    constraint work_item_state_known check (state in ('waiting', 'dead'))
);
comment on table work_item is
    'One item of the work queue: something that must be done or checked at or after due_at. The transaction that '
    'does the work deletes the item. All due items of one subject are processed together.';
comment on column work_item.public_id is
    'ID of the item in the API. The order of items is that of id, which counts over all tenants.';
comment on column work_item.subject is
    'ID of the object that the work is about, such as an identity or an account. All zeros mean the tenant as a '
    'whole.';
comment on column work_item.cause is 'What happened to the subject. The possible values depend on the kind.';
comment on column work_item.priority is 'Items with priority 1 are urgent and come first.';
comment on column work_item.attempts is
    'Number of failed attempts. After each one the item waits longer. After eight it becomes a dead letter.';
comment on column work_item.failed_at is 'Time of the last failed attempt.';
call secure_tenant_table('work_item');
call readable_across('work_item', 'tenant_id, kind, priority, due_at, state, enqueued_at');
create index work_item_due on work_item (tenant_id, kind, due_at, id) where state = 'waiting';
create index work_item_urgent on work_item (tenant_id, kind, id) where state = 'waiting' and priority > 0;
create index work_item_by_subject on work_item (tenant_id, kind, subject);
create index work_item_dead on work_item (tenant_id, id) where state = 'dead';

-- +goose StatementBegin
create function work_item_announces() returns trigger language plpgsql
as $$
begin
    if exists (select from added where due_at <= now()) then
        perform pg_notify('work', '');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function work_item_announces is
    'Trigger on work_item: notifies all processes on the channel work when the transaction commits, if an added '
    'item is due.';
create trigger work_item_announces after insert on work_item referencing new table as added
    for each statement execute function work_item_announces();

-- +goose StatementBegin
create function enqueue_work(kind text, subjects uuid[], cause text default '', priority int default 0, delay interval default '0')
    returns void language plpgsql
as $$
begin
    if current_setting('app.erasing', true) = 'yes' then
        return;
    end if;
    insert into work_item (tenant_id, kind, subject, cause, priority, due_at)
    select current_tenant(), enqueue_work.kind, s, enqueue_work.cause, enqueue_work.priority, now() + delay
      from unnest(subjects) s
     where s is not null;
end $$;
-- +goose StatementEnd
comment on function enqueue_work is
    'Adds one work item for each subject to the queue of the current tenant, due after an optional delay. While a '
    'tenant is erased it does nothing.';

-- +goose StatementBegin
create function take_work(of text, batch int, these uuid[], early boolean)
    returns table (subject uuid, causes text[], urgent boolean, since timestamptz, attempts int, items bigint[]) language plpgsql
    set enable_nestloop = off
as $$
#variable_conflict use_column
declare
    chosen uuid[];
begin
    if these is null then
        chosen := array(
            select n.subject
              from ((select w.subject, 0 as rank, w.id
                       from work_item w
                      where w.tenant_id = current_tenant() and w.kind = of and w.state = 'waiting' and w.priority > 0 and w.due_at <= now()
                      order by w.id
                      limit batch)
                     union all
                    (select w.subject, 1, w.id
                       from work_item w
                      where w.tenant_id = current_tenant() and w.kind = of and w.state = 'waiting' and w.due_at <= now()
                      order by w.due_at, w.id
                      limit batch)) n
             group by n.subject
             order by min(n.rank), min(n.id)
             limit batch);
    else
        chosen := array(
            select distinct w.subject
              from work_item w
             where w.tenant_id = current_tenant() and w.kind = of and w.state = 'waiting' and w.due_at <= now() and w.subject = any (these));
    end if;
    return query
        with taken as (
            delete from work_item w
             using (select unnest(chosen) as id) c
             where w.tenant_id = current_tenant()
               and w.kind = of
               and w.subject = c.id
               and (w.due_at <= now() or w.attempts > 0 or early)
            returning w.id, w.subject, w.cause, w.priority, w.enqueued_at, w.attempts
        )
        select t.subject, array_agg(distinct t.cause), bool_or(t.priority > 0), min(t.enqueued_at), max(t.attempts), array_agg(t.id)
          from taken t
         group by t.subject
         order by t.subject;
end $$;
-- +goose StatementEnd
comment on function take_work is
    'Takes the due work items of up to batch subjects, or of these subjects, and merges them by subject. Urgent '
    'items come first. Items that failed before are taken with those of their subject, and with early also items '
    'that are not due yet. Nested loops are off: without statistics, the planner would compare every item with '
    'every subject.';

create table recurring_work (
    name        text        not null,
    due_at      timestamptz not null default now(),
    lease_id    uuid,
    lease_until timestamptz,
    started_at  timestamptz,
    finished_at timestamptz,
    attempts    int         not null default 0,
    last_error  text,
    constraint recurring_work_pk primary key (name)
);
comment on table recurring_work is
    'One periodic job of the deployment, such as deleting expired data. One process at a time runs it.';
comment on column recurring_work.lease_id is
    'Fencing token of the process that runs the job. Only this process can renew the lease or record the result. '
    'Null while the job is not running.';
comment on column recurring_work.attempts is 'Number of failed runs since the last successful run.';
grant select, insert, update on recurring_work to grantwright_app;
grant select on recurring_work to grantwright_across;

create table deployment_secret (
    name       text        not null,
    sealed     bytea       not null,
    created_at timestamptz not null default now(),
    constraint deployment_secret_pk primary key (name)
);
comment on table deployment_secret is
    'One key of the deployment that survives a change of the master key and is encrypted under it. The keys '
    'encrypt cursors, sign callbacks and protect sign-ins through identity providers.';
grant select, insert, update on deployment_secret to grantwright_app;

-- +goose StatementBegin
create function purge_tenant(target uuid, budget int) returns jsonb language plpgsql security definer
    set search_path = pg_catalog, public, pg_temp
as $$
declare
    caller  text := coalesce(current_setting('app.tenant_id', true), '');
    due     tenant%rowtype;
    counts  jsonb;
    rel     record;
    n       bigint;
    deleted bigint := 0;
    spent   bigint := 0;
    parting text;
    joined  text;
begin
    if budget is null or budget < 1 or budget > 100000 then
        raise exception 'a step deletes 1 to 100000 rows, not %', budget using errcode = '22023';
    end if;
    -- The policies bind the owner too: from here to the end of the call nothing but the target's rows can be seen.
    perform set_config('app.tenant_id', target::text, true);
    perform set_config('app.erasing', 'yes', true);
    select * into due from tenant where id = target;
    if not found then
        perform set_config('app.tenant_id', caller, true);
        return jsonb_build_object('state', 'absent');
    end if;
    if due.status <> 'closing' or due.purge_after is null or due.purge_after > now() then
        raise exception 'tenant % is not closing, or its grace has not ended', target using errcode = '55000';
    end if;
    select * into due from tenant
     where id = target and status = 'closing' and purge_after <= now()
       for update skip locked;
    if not found or exists (select from sync_run where tenant_id = target and lease_until > now()) then
        perform set_config('app.tenant_id', caller, true);
        return jsonb_build_object('state', 'busy');
    end if;
    counts := due.purged;

    -- The data keys go first, and by themselves: once this has committed, no copy of a sealed value opens any more.
    delete from tenant_key where tenant_id = target;
    get diagnostics n = row_count;
    if n > 0 then
        update tenant set purged = counts || jsonb_build_object('tenant_key', coalesce((counts ->> 'tenant_key')::bigint, 0) + n) where id = target;
        perform set_config('app.tenant_id', caller, true);
        return jsonb_build_object('state', 'working', 'deleted', n);
    end if;

    -- Every table there is with a tenant_id, those first that no other refers to.
    for rel in
        with recursive owned as (
            select c.oid
              from pg_class c
              join pg_namespace s on s.oid = c.relnamespace and s.nspname not like 'pg\_%' and s.nspname <> 'information_schema'
              join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
             where c.relkind = 'r' and c.relpersistence <> 't'),
        refers as (
            select distinct k.conrelid as child, k.confrelid as parent
              from pg_constraint k
             where k.contype = 'f' and k.conrelid <> k.confrelid
               and k.conrelid in (select oid from owned) and k.confrelid in (select oid from owned)),
        floors (oid, level) as (
            select oid, 0 from owned
             union
            select r.parent, f.level + 1 from floors f join refers r on r.child = f.oid where f.level < 40)
        select f.oid::regclass::text as name, max(f.level) as level from floors f group by f.oid order by max(f.level), f.oid
    loop
        begin
            execute format('delete from %s where tenant_id = $1 and ctid = any (array(select ctid from %s where tenant_id = $1 limit $2))', rel.name, rel.name)
              using target, budget - spent;
            get diagnostics n = row_count;
            deleted := deleted + n;
            if n > 0 then
                counts := counts || jsonb_build_object(rel.name, coalesce((counts ->> rel.name)::bigint, 0) + n);
            end if;
        exception when foreign_key_violation then
            -- Rows of one table that refer to each other are parted before, so many at a time: then they go in any order.
            select string_agg(format('%I = null', a.attname), ', '), string_agg(format('%I is not null', a.attname), ' or ')
              into parting, joined
              from pg_attribute a
             where a.attrelid = rel.name::regclass
               and not a.attnotnull
               and exists (select from pg_constraint k
                            where k.contype = 'f' and k.conrelid = a.attrelid and k.confrelid = a.attrelid and a.attnum = any (k.conkey));
            if parting is null then
                raise;
            end if;
            execute format('update %s set %s where tenant_id = $1 and ctid = any (array(select ctid from %s where tenant_id = $1 and (%s) limit $2))',
                           rel.name, parting, rel.name, joined)
              using target, budget - spent;
            get diagnostics n = row_count;
            if n = 0 then
                raise;
            end if;
            spent := budget;
        end;
        spent := spent + n;
        exit when spent >= budget;
    end loop;

    if spent > 0 then
        update tenant set purged = counts where id = target;
    else
        delete from tenant where id = target;
    end if;
    perform set_config('app.tenant_id', caller, true);
    return jsonb_build_object('state', case when spent > 0 then 'working' else 'done' end, 'deleted', deleted, 'slug', due.slug,
                              'reason', due.status_reason, 'closed_by', due.closed_by, 'counts', counts);
end $$;
-- +goose StatementEnd
comment on function purge_tenant is
    'Performs one step of erasing a closing tenant after its grace period. It deletes the data keys first, then '
    'at most budget rows per step from all tables with a tenant_id, and finally the tenant. Rows of one table '
    'that refer to each other are unlinked first, in separate steps. The application has no permission to delete '
    'audit log entries directly.';
revoke all on function purge_tenant from public;
grant execute on function purge_tenant to grantwright_app;

-- +goose StatementBegin
create function catch_up_statistics() returns text language plpgsql security definer
    set search_path = pg_catalog, public, pg_temp
as $$
declare
    behind regclass;
begin
    if not pg_try_advisory_xact_lock(hashtextextended('catch_up_statistics', 0)) then
        return null;
    end if;
    select c.oid::regclass into behind
      from pg_class c
     where c.relkind = 'r'
       and c.relnamespace = 'public'::regnamespace
       and pg_has_role(c.relowner, 'usage')
       and pg_stat_get_mod_since_analyze(c.oid) > greatest(500, 3 * c.reltuples)
     order by pg_stat_get_mod_since_analyze(c.oid) desc
     limit 1;
    if behind is not null then
        execute format('analyze %s', behind);
    end if;
    return behind::text;
end $$;
-- +goose StatementEnd
comment on function catch_up_statistics is
    'Analyzes the table with the most changes since its last analysis, if these exceed 500 rows and three times '
    'its earlier size. Returns its name, or null if there is none or another process is running this function.';
revoke all on function catch_up_statistics from public;
grant execute on function catch_up_statistics to grantwright_app;

-- +goose StatementBegin
create function search_fold(said text) returns text language sql immutable parallel safe
as $$
    select case when octet_length(said) = char_length(said) then lower(said)
                else replace(replace(replace(replace(
                         lower(translate(regexp_replace(normalize(said, nfkd), '[\u0300-\u036f]', '', 'g'), 
                             'ØøŁłĐđÐðĦħıÆŒÞАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЄІЂЈЉЊЋЏҐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩς',
                             'oollddddhhiæœþабвгдежзиклмнопрстуфхцчшщъыьэюяєіђјљњћџґαβγδεζηθικλμνξοπρστυφχψωσ')),
                         'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th') end
$$;
-- +goose StatementEnd
comment on function search_fold is
    'Returns the text for searches: lower case, without accents, and with letters such as ß and ø in ASCII. ASCII '
    'text skips the replacement. Greek and Cyrillic capitals are listed, because lower() does not change them '
    'under the C locale.';

-- +goose StatementBegin
create function search_text(said text) returns text language sql immutable parallel safe
as $$
    select f.folded
           || case when said ~ '[ÄäÖöÜüØøŒœ]'
                   then E'\n' || search_fold(replace(replace(replace(replace(replace(replace(replace(replace(normalize(said, nfc),
                        'ä', 'ae'), 'Ä', 'ae'), 'ö', 'oe'), 'Ö', 'oe'), 'ü', 'ue'), 'Ü', 'ue'), 'ø', 'oe'), 'Ø', 'oe')) else '' end
           || case when f.folded ~ '[aou]e' then E'\n' || regexp_replace(f.folded, '([aou])e', '\1', 'g') else '' end
      from (select search_fold(said) as folded) f
$$;
-- +goose StatementEnd
comment on function search_text is
    'Returns the text to search in: the folded text and alternative spellings of umlauts. Müller is found as '
    'mueller, and Mueller as müller.';

-- +goose StatementBegin
create function search_patterns(asked text) returns text[] language sql immutable parallel safe
as $$
    select coalesce(array_agg('%' || regexp_replace(w, '([\\%_])', '\\\1', 'g') || '%'), '{}')
      from regexp_split_to_table(search_fold(asked), '[\s,;]+') w
     where w <> ''
$$;
-- +goose StatementEnd
comment on function search_patterns is
    'Returns one LIKE pattern for each word of a search. A row matches if its folded text matches all patterns.';

grant usage on schema public to grantwright_across;
grant select on schema_migration to grantwright_app;

insert into deployment default values;

-- +goose Up

-- The past of people, accounts, grants and reasons.

-- Functions are created before the tables that they read.
set local check_function_bodies = off;

create table history_start (
    tenant_id uuid        not null references tenant,
    since     timestamptz not null default now(),
    constraint history_start_pk primary key (tenant_id)
);
comment on table history_start is
    'When the recording of history began for a tenant that existed before this table. The history of other '
    'tenants starts with their creation.';
call secure_tenant_table('history_start', 'select');

create table identity_past (
    tenant_id            uuid        not null references tenant,
    id                   uuid        not null,
    since                timestamptz not null,
    until                timestamptz not null,
    external_id          text        not null,
    source_connector_id  uuid,
    kind                 text        not null,
    employment_type      text,
    email                text,
    secondary_emails     text[]      not null default '{}',
    username             text,
    first_name           text,
    middle_name          text,
    last_name            text,
    preferred_name       text,
    display_name         text        not null default '',
    employee_number      text,
    department           text,
    division             text,
    organization         text,
    cost_center          text,
    title                text,
    job_code             text,
    job_family           text,
    location             text,
    country              text,
    locale               text,
    timezone             text,
    manager_external_id  text,
    manager_id           uuid,
    manager_from_source  boolean     not null default false,
    sponsor_id           uuid,
    backup_owner_id      uuid,
    hire_date            date,
    start_date           date,
    termination_date     date,
    last_working_at      timestamptz,
    leave_from           date,
    leave_to             date,
    status               text        not null,
    status_reason        text,
    status_source        text        not null,
    status_changed_at    timestamptz not null,
    attributes           jsonb       not null default '{}',
    labels               jsonb       not null default '{}',
    urgent               boolean     not null default false,
    merged_into_id       uuid,
    previous_identity_id uuid,
    created_at           timestamptz not null,
    version              int         not null,
    constraint identity_past_pk primary key (tenant_id, id, until)
);
comment on table identity_past is
    'One past state of an identity, with its period. Repeated syncs, pins and rewrites that change no value do '
    'not create rows.';
call secure_tenant_table('identity_past', 'select');
create index identity_past_by_department on identity_past (tenant_id, department, until);
create index identity_past_by_end on identity_past (tenant_id, until);
create index identity_past_by_manager on identity_past (tenant_id, manager_id, until) where manager_id is not null;

create table account_past (
    tenant_id    uuid        not null references tenant,
    account_id   uuid        not null,
    since        timestamptz not null,
    until        timestamptz not null,
    connector_id uuid        not null,
    external_id  text        not null,
    username     text,
    status       text        not null,
    is_disabled  boolean,
    is_locked    boolean,
    privileged   boolean,
    account_type text        not null,
    managed      text        not null,
    ended        text,
    constraint account_past_pk primary key (tenant_id, account_id, until)
);
comment on table account_past is 'One past state of an account, with the period in which it applied.';
comment on column account_past.ended is
    'The value joined means that the record was merged into another account''s record. Null means that the account '
    'continued in another state.';
call secure_tenant_table('account_past', 'select');

create table account_owner_past (
    tenant_id   uuid        not null references tenant,
    account_id  uuid        not null,
    identity_id uuid        not null,
    since       timestamptz not null,
    until       timestamptz not null,
    constraint account_owner_past_pk primary key (tenant_id, account_id, until)
);
comment on table account_owner_past is 'One past period in which an identity owned an account.';
call secure_tenant_table('account_owner_past', 'select');
create index account_owner_past_by_identity on account_owner_past (tenant_id, identity_id, until);

create table access_grant_past (
    tenant_id      uuid        not null references tenant,
    grant_id       uuid        not null,
    connector_id   uuid        not null,
    account_id     uuid        not null,
    entitlement_id uuid        not null,
    directness     text        not null,
    since          timestamptz not null,
    until          timestamptz not null,
    ended          text,
    run_id         uuid,
    assigned_by    text,
    granted_at     timestamptz,
    constraint access_grant_past_pk primary key (tenant_id, grant_id, until)
);
comment on table access_grant_past is
    'One past period of a grant, during which an account had the entitlement directly or by inheritance. The '
    'current period is in access_grant.';
comment on column access_grant_past.ended is
    'Status of the grant after this period, such as revoked, failed or pending. The value gone means that its row '
    'was deleted. Null means that it continued, but changed between direct and inherited.';
comment on column access_grant_past.run_id is 'Sync run that ended the period. Null means that no sync run ended it.';
call secure_tenant_table('access_grant_past', 'select');
create index access_grant_past_by_account on access_grant_past (tenant_id, account_id, entitlement_id, until);
create index access_grant_past_by_end on access_grant_past (tenant_id, until);
create index access_grant_past_by_entitlement on access_grant_past (tenant_id, entitlement_id, until);

create table entitlement_edge_past (
    tenant_id    uuid        not null references tenant,
    member_id    uuid        not null,
    parent_id    uuid        not null,
    connector_id uuid        not null,
    since        timestamptz not null,
    until        timestamptz not null,
    constraint entitlement_edge_past_pk primary key (tenant_id, member_id, parent_id, until)
);
comment on table entitlement_edge_past is 'One past nesting of entitlements. It explains why a grant was inherited.';
call secure_tenant_table('entitlement_edge_past', 'select');
create index entitlement_edge_past_by_parent on entitlement_edge_past (tenant_id, parent_id, until);

create table access_reason_moved (
    tenant_id   uuid        not null references tenant,
    reason_id   uuid        not null,
    identity_id uuid        not null,
    until       timestamptz not null,
    constraint access_reason_moved_pk primary key (tenant_id, reason_id, until)
);
comment on table access_reason_moved is
    'The identity that a reason belonged to before two identities were merged into one.';
call secure_tenant_table('access_reason_moved', 'select');
create index access_reason_moved_by_identity on access_reason_moved (tenant_id, identity_id);

-- +goose StatementBegin
create function moment_after(since timestamptz) returns timestamptz language sql
as $$ select case when since > now() then greatest(clock_timestamp(), since + interval '1 microsecond') else now() end $$;
-- +goose StatementEnd
comment on function moment_after is
    'Returns the time at which a period that began at the argument ends: the start of the transaction. If the '
    'same transaction began the period, the result is the clock time.';

-- +goose StatementBegin
create function identity_becomes_past() returns trigger language plpgsql security definer
    set search_path = public, pg_temp
as $$
declare
    moment timestamptz := moment_after(old.as_is_since);
begin
    if moment > old.as_is_since then
        insert into identity_past (tenant_id, id, since, until, external_id, source_connector_id, kind, employment_type, email, secondary_emails,
            username, first_name, middle_name, last_name, preferred_name, display_name, employee_number, department, division, organization,
            cost_center, title, job_code, job_family, location, country, locale, timezone, manager_external_id, manager_id, manager_from_source,
            sponsor_id, backup_owner_id, hire_date, start_date, termination_date, last_working_at, leave_from, leave_to, status, status_reason,
            status_source, status_changed_at, attributes, labels, urgent, merged_into_id, previous_identity_id, created_at, version)
        values (old.tenant_id, old.id, old.as_is_since, moment, old.external_id, old.source_connector_id, old.kind, old.employment_type, old.email,
            old.secondary_emails, old.username, old.first_name, old.middle_name, old.last_name, old.preferred_name, old.display_name,
            old.employee_number, old.department, old.division, old.organization, old.cost_center, old.title, old.job_code, old.job_family,
            old.location, old.country, old.locale, old.timezone, old.manager_external_id, old.manager_id, old.manager_from_source, old.sponsor_id,
            old.backup_owner_id, old.hire_date, old.start_date, old.termination_date, old.last_working_at, old.leave_from, old.leave_to, old.status,
            old.status_reason, old.status_source, old.status_changed_at, old.attributes, old.labels, old.urgent, old.merged_into_id,
            old.previous_identity_id, old.created_at, old.version);
        new.as_is_since := moment;
    end if;
    if new.minimised_at is not null and old.minimised_at is null then
        perform minimise_past(new.tenant_id, new.id, new.display_name, array(select jsonb_object_keys(new.attributes)));
    end if;
    return new;
end $$;
-- +goose StatementEnd
comment on function identity_becomes_past is
    'Trigger on identity: records the previous state before an update. It also minimizes the history when the '
    'identity is minimized.';
revoke all on function identity_becomes_past from public;

-- +goose StatementBegin
create function minimise_past(tenant uuid, person uuid, called text, kept text[]) returns void language plpgsql security definer
    set search_path = public, pg_temp
as $$
begin
    update identity_past p
       set email = null, secondary_emails = '{}', username = null, first_name = null, middle_name = null, last_name = null, preferred_name = null,
           display_name = called, title = null, location = null, country = null, locale = null, timezone = null, leave_from = null, leave_to = null,
           labels = '{}', attributes = p.attributes - array(select k from jsonb_object_keys(p.attributes) k where k <> all (kept))
     where p.tenant_id = tenant
       and p.id = person;
    update account_past p
       set username = null
     where p.tenant_id = tenant
       and p.username is not null
       and p.account_id in (select a.id from account a where a.tenant_id = tenant and a.identity_id = person
                             union
                            select o.account_id from account_owner_past o where o.tenant_id = tenant and o.identity_id = person);
end $$;
-- +goose StatementEnd
comment on function minimise_past is
    'Removes from a person''s history the data that was removed from their identity. It is called when an identity '
    'is minimized; see archiveDue in package directory and docs/lifecycle.md.';
revoke all on function minimise_past from public;

-- +goose StatementBegin
create function account_becomes_past() returns trigger language plpgsql security definer
    set search_path = public, pg_temp
as $$
declare
    moment timestamptz := moment_after(old.as_is_since);
begin
    if tg_op = 'DELETE' and current_setting('app.erasing', true) = 'yes' then
        return null;
    end if;
    if moment > old.as_is_since then
        insert into account_past (tenant_id, account_id, since, until, connector_id, external_id, username, status, is_disabled, is_locked,
                                  privileged, account_type, managed, ended)
        values (old.tenant_id, old.id, old.as_is_since, moment, old.connector_id, old.external_id, old.username, old.status, old.is_disabled,
                old.is_locked, old.privileged, old.account_type, old.managed, case when tg_op = 'DELETE' then 'joined' end);
    end if;
    if tg_op = 'UPDATE' then
        new.as_is_since := moment;
        return new;
    end if;
    if old.identity_id is not null then
        moment := moment_after(old.owner_since);
        if moment > old.owner_since then
            insert into account_owner_past (tenant_id, account_id, identity_id, since, until)
            values (old.tenant_id, old.id, old.identity_id, old.owner_since, moment);
        end if;
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function account_becomes_past is
    'Trigger on account: records the previous state before an update. When a row is deleted, it also records the '
    'last owner.';
revoke all on function account_becomes_past from public;

-- +goose StatementBegin
create function owner_becomes_past() returns trigger language plpgsql security definer
    set search_path = public, pg_temp
as $$
declare
    moment timestamptz := moment_after(old.owner_since);
begin
    if moment > old.owner_since and old.identity_id is not null then
        insert into account_owner_past (tenant_id, account_id, identity_id, since, until)
        values (old.tenant_id, old.id, old.identity_id, old.owner_since, moment);
    end if;
    new.owner_since := moment;
    return new;
end $$;
-- +goose StatementEnd
comment on function owner_becomes_past is
    'Trigger on account: records the previous owner in account_owner_past when the owner changes.';
revoke all on function owner_becomes_past from public;

-- +goose StatementBegin
create function grant_becomes_past() returns trigger language plpgsql security definer
    set search_path = public, pg_temp
as $$
declare
    moment timestamptz := moment_after(old.as_is_since);
    ended  text;
    run    uuid;
begin
    if tg_op = 'DELETE' then
        if current_setting('app.erasing', true) = 'yes' then
            return null;
        end if;
        ended := 'gone';
    else
        ended := case when new.status not in ('active', 'ending', 'revoking', 'missing') then new.status end;
        run := case when new.changed_run_id is distinct from old.changed_run_id then new.changed_run_id end;
        new.as_is_since := moment;
    end if;
    if moment > old.as_is_since and old.status in ('active', 'ending', 'revoking', 'missing') then
        insert into access_grant_past (tenant_id, grant_id, connector_id, account_id, entitlement_id, directness, since, until, ended, run_id,
                                       assigned_by, granted_at)
        values (old.tenant_id, old.id, old.connector_id, old.account_id, old.entitlement_id, old.directness, old.as_is_since, moment, ended, run,
                old.assigned_by, old.granted_at);
    end if;
    return case when tg_op = 'UPDATE' then new end;
end $$;
-- +goose StatementEnd
comment on function grant_becomes_past is
    'Trigger on access_grant: records a period in access_grant_past when a grant ends or changes between direct '
    'and inherited.';
revoke all on function grant_becomes_past from public;

-- +goose StatementBegin
create function edge_becomes_past() returns trigger language plpgsql security definer
    set search_path = public, pg_temp
as $$
begin
    if current_setting('app.erasing', true) = 'yes' then
        return null;
    end if;
    insert into entitlement_edge_past (tenant_id, member_id, parent_id, connector_id, since, until)
    select old.tenant_id, old.member_id, old.parent_id, old.connector_id, old.first_seen_at, now()
     where old.first_seen_at < now()
        on conflict do nothing;
    return null;
end $$;
-- +goose StatementEnd
comment on function edge_becomes_past is
    'Trigger on entitlement_edge: records a deleted nesting in entitlement_edge_past.';
revoke all on function edge_becomes_past from public;

-- +goose StatementBegin
create function reason_moves() returns trigger language plpgsql security definer
    set search_path = public, pg_temp
as $$
begin
    insert into access_reason_moved (tenant_id, reason_id, identity_id, until) values (old.tenant_id, old.id, old.identity_id, now())
        on conflict do nothing;
    return null;
end $$;
-- +goose StatementEnd
comment on function reason_moves is
    'Trigger on access_reason: records the previous identity of a reason in access_reason_moved when identities '
    'are merged.';
revoke all on function reason_moves from public;

-- +goose StatementBegin
create function identity_at(moment timestamptz) returns TABLE(tenant_id uuid, id uuid, external_id text, source_connector_id uuid, kind text, employment_type text, email text, email_lc text, secondary_emails text[], username text, first_name text, middle_name text, last_name text, preferred_name text, display_name text, employee_number text, department text, division text, organization text, cost_center text, title text, job_code text, job_family text, location text, country text, locale text, timezone text, manager_external_id text, manager_id uuid, manager_from_source boolean, sponsor_id uuid, backup_owner_id uuid, hire_date date, start_date date, termination_date date, last_working_at timestamptz, leave_from date, leave_to date, status text, status_reason text, status_source text, status_changed_at timestamptz, attributes jsonb, labels jsonb, urgent boolean, merged_into_id uuid, previous_identity_id uuid, created_at timestamptz, updated_at timestamptz, last_synced_at timestamptz, standing text, pins jsonb, version int, until timestamptz) language sql stable parallel safe
as $$
    select i.tenant_id, i.id, i.external_id, i.source_connector_id, i.kind, i.employment_type, i.email, i.email_lc, i.secondary_emails, i.username,
           i.first_name, i.middle_name, i.last_name, i.preferred_name, i.display_name, i.employee_number, i.department, i.division, i.organization,
           i.cost_center, i.title, i.job_code, i.job_family, i.location, i.country, i.locale, i.timezone, i.manager_external_id, i.manager_id,
           i.manager_from_source, i.sponsor_id, i.backup_owner_id, i.hire_date, i.start_date, i.termination_date, i.last_working_at, i.leave_from,
           i.leave_to, i.status, i.status_reason, i.status_source, i.status_changed_at, i.attributes, i.labels, i.urgent, i.merged_into_id,
           i.previous_identity_id, i.created_at, i.as_is_since, null::timestamptz, i.standing, '{}'::jsonb, i.version, null::timestamptz
      from identity i
     where i.as_is_since <= moment
     union all
    select p.tenant_id, p.id, p.external_id, p.source_connector_id, p.kind, p.employment_type, p.email, lower(p.email), p.secondary_emails,
           p.username, p.first_name, p.middle_name, p.last_name, p.preferred_name, p.display_name, p.employee_number, p.department, p.division,
           p.organization, p.cost_center, p.title, p.job_code, p.job_family, p.location, p.country, p.locale, p.timezone, p.manager_external_id,
           p.manager_id, p.manager_from_source, p.sponsor_id, p.backup_owner_id, p.hire_date, p.start_date, p.termination_date, p.last_working_at,
           p.leave_from, p.leave_to, p.status, p.status_reason, p.status_source, p.status_changed_at, p.attributes, p.labels, p.urgent,
           p.merged_into_id, p.previous_identity_id, p.created_at, p.since, null::timestamptz, null::text, '{}'::jsonb, p.version, p.until
      from identity_past p
     where p.since <= moment
       and p.until > moment
$$;
-- +goose StatementEnd
comment on function identity_at is 'Returns the identities as they were at a point in time.';

-- +goose StatementBegin
create function owner_at(moment timestamptz) returns TABLE(tenant_id uuid, account_id uuid, identity_id uuid, since timestamptz) language sql stable parallel safe
as $$
    select a.tenant_id, a.id, a.identity_id, a.owner_since
      from account a
     where a.identity_id is not null
       and a.owner_since <= moment
     union all
    select p.tenant_id, p.account_id, p.identity_id, p.since
      from account_owner_past p
     where p.since <= moment
       and p.until > moment
$$;
-- +goose StatementEnd
comment on function owner_at is
    'Returns the owners of accounts at a point in time. An account without an owner at that time has no row.';

-- +goose StatementBegin
create function grant_at(moment timestamptz) returns TABLE(tenant_id uuid, id uuid, connector_id uuid, account_id uuid, entitlement_id uuid, directness text, since timestamptz, until timestamptz) language sql stable parallel safe
as $$
    select g.tenant_id, g.id, g.connector_id, g.account_id, g.entitlement_id, g.directness, g.as_is_since, null::timestamptz
      from access_grant g
     where g.status in ('active', 'ending', 'revoking', 'missing')
       and g.as_is_since <= moment
     union all
    select p.tenant_id, p.grant_id, p.connector_id, p.account_id, p.entitlement_id, p.directness, p.since, p.until
      from access_grant_past p
     where p.since <= moment
       and p.until > moment
$$;
-- +goose StatementEnd
comment on function grant_at is 'Returns the grants that accounts had at a point in time.';

-- +goose StatementBegin
create function edge_at(moment timestamptz) returns TABLE(tenant_id uuid, member_id uuid, parent_id uuid) language sql stable parallel safe
as $$
    select n.tenant_id, n.member_id, n.parent_id from entitlement_edge n where n.first_seen_at <= moment
     union all
    select p.tenant_id, p.member_id, p.parent_id from entitlement_edge_past p where p.since <= moment and p.until > moment
$$;
-- +goose StatementEnd
comment on function edge_at is 'Returns the nesting of entitlements at a point in time.';

-- +goose StatementBegin
create function visible_grant_at(moment timestamptz) returns TABLE(tenant_id uuid, id uuid, connector_id uuid, account_id uuid, entitlement_id uuid, directness text, since timestamptz, until timestamptz, identity_id uuid) language sql stable parallel safe
as $$
    select g.tenant_id, g.id, g.connector_id, g.account_id, g.entitlement_id, g.directness, g.since, g.until, o.identity_id
      from managed_identity() m
     cross join lateral (select w.* from owner_at(moment) w where w.identity_id = m.id offset 0) o
     cross join lateral (select h.* from grant_at(moment) h where h.account_id = o.account_id offset 0) g
     union all
    select g.tenant_id, g.id, g.connector_id, g.account_id, g.entitlement_id, g.directness, g.since, g.until, o.identity_id
      from owned_entitlement() e
     cross join lateral (select h.* from grant_at(moment) h where h.entitlement_id = e.id offset 0) g
     cross join lateral (select w.* from owner_at(moment) w where w.account_id = g.account_id offset 0) o
     where o.identity_id not in (select m.id from managed_identity() m)
       and exists (select
                     from account a
                     join access_grant h
                       on h.account_id = a.id
                      and holds_access(h.status)
                     join owned_entitlement() x on x.id = h.entitlement_id
                    where a.identity_id = o.identity_id)
$$;
-- +goose StatementEnd
comment on function visible_grant_at is
    'Returns the grants at a point in time that the viewer may list, like visible_grant(). It starts from the '
    'viewer''s people and entitlements.';

-- +goose StatementBegin
create function readable_grant_at(moment timestamptz, own boolean) returns TABLE(tenant_id uuid, id uuid, connector_id uuid, account_id uuid, entitlement_id uuid, directness text, since timestamptz, until timestamptz, identity_id uuid) language sql stable parallel safe
as $$
    select g.tenant_id, g.id, g.connector_id, g.account_id, g.entitlement_id, g.directness, g.since, g.until, o.identity_id
      from grant_at(moment) g
     cross join lateral (select w.* from owner_at(moment) w where w.account_id = g.account_id offset 0) o
     where exists (select from managed_identity() m where m.id = o.identity_id)
        or own and o.identity_id = (select viewer_identity())
        or exists (select from owned_entitlement() e where e.id = g.entitlement_id)
       and exists (select
                     from account a
                     join access_grant h
                       on h.account_id = a.id
                      and holds_access(h.status)
                     join owned_entitlement() x on x.id = h.entitlement_id
                    where a.identity_id = o.identity_id)
$$;
-- +goose StatementEnd
comment on function readable_grant_at is
    'Returns the grants at a point in time that the viewer may read, like readable_grant(). It starts from the '
    'grants, so it is efficient if the query already selects a few.';

-- +goose StatementBegin
create function reason_at(moment timestamptz) returns TABLE(tenant_id uuid, id uuid, identity_id uuid, connector_id uuid, entitlement_id uuid, account_id uuid, effect text, kind text, source_type text, source_id uuid, source_version int, role_id uuid, note text, state text, starts_at timestamptz, ends_at timestamptz, ended_at timestamptz, end_reason text, details jsonb, created_by jsonb, created_at timestamptz) language sql stable parallel safe
as $$
    select r.tenant_id, r.id, r.identity_id, r.connector_id, r.entitlement_id, r.account_id, r.effect, r.kind, r.source_type, r.source_id,
           r.source_version, r.role_id, r.note, case when r.ended_at <= moment then 'ended' else 'active' end, r.starts_at, r.ends_at, r.ended_at,
           r.end_reason, r.details, r.created_by, r.created_at
      from access_reason r
     where r.starts_at <= moment
       and (r.ended_at is null or r.ended_at > r.starts_at)
       and not exists (select from access_reason_moved m where m.reason_id = r.id and m.until > moment)
     union all
    select r.tenant_id, r.id, m.identity_id, r.connector_id, r.entitlement_id, r.account_id, r.effect, r.kind, r.source_type, r.source_id,
           r.source_version, r.role_id, r.note, case when r.ended_at <= moment then 'ended' else 'active' end, r.starts_at, r.ends_at, r.ended_at,
           r.end_reason, r.details, r.created_by, r.created_at
      from access_reason_moved m
      join access_reason r on r.id = m.reason_id
     where m.until > moment
       and r.starts_at <= moment
       and (r.ended_at is null or r.ended_at > r.starts_at)
       and not exists (select from access_reason_moved x where x.reason_id = m.reason_id and x.until > moment and x.until < m.until)
$$;
-- +goose StatementEnd
comment on function reason_at is
    'Returns the reasons that had begun at a point in time, with their identity at that time and whether they '
    'were still active. Reasons that ended before they began are excluded.';

create trigger identity_becomes_past before update on identity for each row
    when ((old.external_id, old.source_connector_id, old.kind, old.employment_type, old.email, old.secondary_emails, old.username, old.first_name,
           old.middle_name, old.last_name, old.preferred_name, old.display_name, old.employee_number, old.department, old.division, old.organization,
           old.cost_center, old.title, old.job_code, old.job_family, old.location, old.country, old.locale, old.timezone, old.manager_external_id,
           old.manager_id, old.sponsor_id, old.backup_owner_id, old.hire_date, old.start_date, old.termination_date, old.last_working_at,
           old.leave_from, old.leave_to, old.status, old.status_reason, old.attributes, old.labels, old.urgent, old.merged_into_id,
           old.previous_identity_id, old.minimised_at)
          is distinct from
          (new.external_id, new.source_connector_id, new.kind, new.employment_type, new.email, new.secondary_emails, new.username, new.first_name,
           new.middle_name, new.last_name, new.preferred_name, new.display_name, new.employee_number, new.department, new.division, new.organization,
           new.cost_center, new.title, new.job_code, new.job_family, new.location, new.country, new.locale, new.timezone, new.manager_external_id,
           new.manager_id, new.sponsor_id, new.backup_owner_id, new.hire_date, new.start_date, new.termination_date, new.last_working_at,
           new.leave_from, new.leave_to, new.status, new.status_reason, new.attributes, new.labels, new.urgent, new.merged_into_id,
           new.previous_identity_id, new.minimised_at))
    execute function identity_becomes_past();
create trigger account_becomes_past before update on account for each row
    when ((old.external_id, old.username, old.status, old.is_disabled, old.is_locked, old.privileged, old.account_type, old.managed)
          is distinct from
          (new.external_id, new.username, new.status, new.is_disabled, new.is_locked, new.privileged, new.account_type, new.managed))
    execute function account_becomes_past();
create trigger account_is_no_more after delete on account for each row execute function account_becomes_past();
create trigger owner_becomes_past before update on account for each row
    when (old.identity_id is distinct from new.identity_id)
    execute function owner_becomes_past();
create trigger edge_is_no_more after delete on entitlement_edge for each row execute function edge_becomes_past();
create trigger grant_becomes_past before update of status, directness on access_grant for each row
    when (case when old.status in ('active', 'ending', 'revoking', 'missing') then old.directness end
          is distinct from
          case when new.status in ('active', 'ending', 'revoking', 'missing') then new.directness end)
    execute function grant_becomes_past();
create trigger grant_is_no_more after delete on access_grant for each row
    when (old.status in ('active', 'ending', 'revoking', 'missing'))
    execute function grant_becomes_past();
create trigger reason_moves after update of identity_id on access_reason for each row
    when (old.identity_id <> new.identity_id)
    execute function reason_moves();

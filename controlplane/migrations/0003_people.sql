-- +goose Up

-- Identities, their sources, the management hierarchy, and the lifecycle.

-- Functions are created before the tables that they read.
set local check_function_bodies = off;

create table identity (
    tenant_id            uuid        not null references tenant,
    id                   uuid        not null,
    external_id          text        not null,
    source_connector_id  uuid,
    kind                 text        not null default 'human',
    employment_type      text,
    email                text,
    email_lc             text        generated always as (lower(email)) stored,
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
    status               text        not null default 'active',
    status_reason        text,
    status_source        text        not null default 'manual',
    status_changed_at    timestamptz not null default now(),
    attributes           jsonb       not null default '{}',
    labels               jsonb       not null default '{}',
    last_synced_at       timestamptz,
    created_at           timestamptz not null default now(),
    updated_at           timestamptz not null default now(),
    version              int         not null default 1,
    urgent               boolean     not null default false,
    standing             text,
    pins                 jsonb       not null default '{}',
    merged_into_id       uuid,
    previous_identity_id uuid,
    minimised_at         timestamptz,
    as_is_since          timestamptz not null default now(),
    constraint identity_pk primary key (tenant_id, id) include (status),
    constraint identity_kind_known check (kind in ('human', 'non_human')),
    constraint identity_status_known check (status in ('pre_hire', 'active', 'on_leave', 'notice', 'deactivated', 'archived'))
);
comment on table identity is 'One identity: a human or non-human subject that the tenant governs.';
comment on column identity.manager_from_source is
    'True if manager_external_id came from a source system''s reference. It is removed when that reference is '
    'removed. Values that were set through the API remain.';
comment on column identity.urgent is
    'True if the person''s access must change before other people''s access, as in an immediate termination.';
comment on column identity.standing is
    'State from the source system or a manual change, independent of dates. identity_state() derives status from '
    'it and the dates. Null means that status is used instead.';
comment on column identity.pins is
    'Pinned fields, with the person who pinned them, the end of the pin, and the source''s value. A soft pin, set '
    'by an action, ends when the source''s value changes.';
comment on column identity.previous_identity_id is
    'The person''s identity during an earlier employment, if they were rehired. Null otherwise.';
comment on column identity.minimised_at is
    'When the personal data of an archived identity was reduced to the minimum that must be retained. Null if it '
    'was not.';
comment on column identity.as_is_since is
    'Start of the identity''s current state. identity_past contains the earlier states.';
call secure_tenant_table('identity');
create index identity_by_backup_owner on identity (tenant_id, backup_owner_id) where backup_owner_id is not null;
create index identity_by_department on identity (tenant_id, department, id);
create index identity_by_employee_number on identity (tenant_id, employee_number) where employee_number is not null;
create index identity_by_manager on identity (tenant_id, manager_id);
create index identity_by_sponsor on identity (tenant_id, sponsor_id) where sponsor_id is not null;
create index identity_by_unresolved_manager on identity (tenant_id, manager_external_id) where manager_id is null and manager_external_id is not null;
-- Indexes are checked in the order in which they were created: who has number and address of somebody is refused for the number.
create unique index identity_external_id_unique on identity (tenant_id, external_id, source_connector_id) nulls not distinct where status <> 'archived';
create unique index identity_email_unique on identity (tenant_id, email_lc) where status <> 'archived' and kind = 'human' and email_lc is not null;
-- Who has left and may come back, and who was brought together into whom.
create index identity_left on identity (tenant_id, employee_number) where status in ('deactivated', 'archived') and employee_number is not null;
create index identity_merged on identity (tenant_id, merged_into_id) where merged_into_id is not null;
create index identity_pinned on identity (tenant_id, id) where pins <> '{}';
create index identity_to_archive on identity (tenant_id, status_changed_at) where status in ('deactivated', 'archived') and minimised_at is null;
create index identity_to_end on identity (tenant_id, termination_date, last_working_at)
    where status in ('pre_hire', 'active', 'on_leave', 'notice') and (termination_date is not null or last_working_at is not null);
create index identity_to_leave on identity (tenant_id, leave_from) where status = 'active' and leave_from is not null;
create index identity_to_return on identity (tenant_id, leave_to) where status = 'on_leave' and leave_to is not null;
-- Whose day has come is found by these alone.
create index identity_to_start on identity (tenant_id, start_date) where status = 'pre_hire';

create table identity_source (
    tenant_id         uuid        not null references tenant,
    connector_id      uuid        not null,
    external_id       text        not null,
    identity_id       uuid        not null,
    native_ref        text,
    manager_ref_kind  text,
    manager_ref_value text,
    row_hash          bytea       not null,
    match_rule        text        not null,
    first_seen_at     timestamptz not null default now(),
    changed_at        timestamptz not null default now(),
    changed_run_id    uuid,
    missing_since     timestamptz,
    missing_runs      int         not null default 0,
    removed_at        timestamptz,
    created_run_id    uuid,
    source_status     text,
    told              jsonb,
    constraint identity_source_pk primary key (tenant_id, connector_id, external_id)
);
comment on table identity_source is
    'Link between a person''s record in a source system and their identity. The column match_rule names the rule '
    'that linked them.';
comment on column identity_source.source_status is
    'State of the person in the source system''s own term, when it was last read. Null if the source provides '
    'none.';
comment on column identity_source.told is
    'The filled fields of the record by name; a custom attribute is named attributes.<name>. Null: not known yet.';
call secure_tenant_table('identity_source');
-- Whether something of a connector is away is asked at the end of every run; mostly nothing is, and these indexes are empty.
create index identity_source_away on identity_source (tenant_id, connector_id) where missing_since is not null or removed_at is not null;
create index identity_source_by_identity on identity_source (tenant_id, identity_id);

-- Who is beneath whom is kept for those alone who look: managers who sign in. Their rows are brought up to date in the
-- transaction of every change of a manager; a first load, before anybody signs in as a manager, keeps nothing. Neither table
-- has foreign keys: a check a row costs more than the row.
create table management_root (
    tenant_id  uuid not null,
    manager_id uuid not null,
    constraint management_root_pk primary key (tenant_id, manager_id)
);
comment on table management_root is
    'One manager whose reports are stored in management. For other viewers, reports are calculated when needed.';
call secure_tenant_table('management_root', 'select, insert, delete');

create table management (
    tenant_id  uuid not null,
    manager_id uuid not null,
    report_id  uuid not null,
    constraint management_pk primary key (tenant_id, manager_id, report_id)
);
comment on table management is
    'One direct or indirect report of a management root. The root is not one of its own reports.';
call secure_tenant_table('management', 'select, insert, delete');
create index management_by_report on management (tenant_id, report_id);

create table lifecycle_policy (
    tenant_id        uuid        not null references tenant,
    timezone         text        not null default 'UTC',
    pre_hire_lead    interval    not null default '00:00:00',
    mover_grace      interval    not null default '00:00:00',
    notice_lead      interval,
    leave_access     text        not null default 'disable',
    delete_after     interval,
    archive_after    interval,
    rehire_attribute text,
    origin           jsonb       not null default '{"kind": "manual"}',
    updated_at       timestamptz not null default now(),
    version          int         not null default 1,
    constraint lifecycle_policy_pk primary key (tenant_id),
    constraint lifecycle_policy_leave_known check (leave_access in ('keep', 'disable'))
);
comment on table lifecycle_policy is
    'Lead times and grace periods of a tenant''s identity lifecycle. A tenant without a row uses the defaults.';
comment on column lifecycle_policy.pre_hire_lead is
    'How long before the start date a new hire''s access is provisioned.';
comment on column lifecycle_policy.mover_grace is
    'How long access remains after a person no longer qualifies for it, unless its policy specifies another time.';
comment on column lifecycle_policy.notice_lead is
    'How long before their last day a person''s state changes to notice. Null means as soon as the last day is '
    'known.';
comment on column lifecycle_policy.delete_after is
    'Time between the disabling of a leaver''s account and its deletion. Null means never.';
comment on column lifecycle_policy.archive_after is
    'Time between the deactivation of a person and their archiving. Null means never.';
comment on column lifecycle_policy.rehire_attribute is
    'Custom attribute that identifies a rehire, in addition to the employee number. Null means the employee '
    'number only.';
call secure_tenant_table('lifecycle_policy');

create table identity_schema (
    tenant_id  uuid        not null references tenant,
    open       boolean     not null default true,
    attributes jsonb       not null default '[]',
    updated_at timestamptz not null default now(),
    version    int         not null default 1,
    constraint identity_schema_pk primary key (tenant_id)
);
comment on table identity_schema is
    'Custom attributes of a tenant''s identities. A tenant without a row accepts any attribute.';
call secure_tenant_table('identity_schema');

-- +goose StatementBegin
create function sees_all() returns boolean language sql stable parallel safe
as $$ select coalesce(current_setting('app.sees', true), '') = 'all' $$;
-- +goose StatementEnd
comment on function sees_all is
    'Returns whether the transaction runs for the system, an administrator or an auditor, who can read the whole '
    'tenant.';

-- +goose StatementBegin
create function viewer_identity() returns uuid language sql stable parallel safe
as $$ select nullif(current_setting('app.identity_id', true), '')::uuid $$;
-- +goose StatementEnd
comment on function viewer_identity is 'Returns the identity of the person for whom the transaction runs, or null.';

-- +goose StatementBegin
create function viewer_has_role(role text) returns boolean language sql stable parallel safe
as $$ select role = any (string_to_array(coalesce(current_setting('app.roles', true), ''), ',')) $$;
-- +goose StatementEnd
comment on function viewer_has_role is 'Returns whether the viewer has this role in the tenant.';

-- +goose StatementBegin
create function managed_identity() returns TABLE(id uuid) language sql stable parallel safe
as $$
    select m.report_id
      from management m
     where m.manager_id = (select viewer_identity())
       and viewer_has_role('manager')
       and (select viewer_serves())
     union all
    select w.id
      from walked_identity() w
     where (select viewer_serves())
$$;
-- +goose StatementEnd
comment on function managed_identity is
    'Returns the direct and indirect reports of the viewer, without the viewer. The result is empty if the viewer '
    'lacks the manager role or has left.';

-- +goose StatementBegin
create function reports_of(manager uuid) returns TABLE(id uuid) language sql stable parallel safe
as $$
    with recursive report (id) as (
        select i.id
          from identity i
         where i.manager_id = manager
         union
        select i.id
          from report r
          join identity i on i.manager_id = r.id
    )
    select report.id
      from report
     where report.id <> manager
$$;
-- +goose StatementEnd
comment on function reports_of is
    'Returns the direct and indirect reports of a manager by recursion. The query uses union, not union all, so '
    'that it ends even in a cycle.';

-- +goose StatementBegin
create function follow_managers(moved uuid[]) returns void language plpgsql
    set enable_nestloop = on
as $$
begin
    perform pg_advisory_xact_lock(1502, hashtext(current_tenant()::text));
    with recursive beneath (id) as (
        select m.id from unnest(moved) m (id)
         union
        select i.id
          from beneath b
          join identity i
            on i.tenant_id = current_tenant()
           and i.manager_id = b.id
    ),
    above (id, manager_id) as (
        select i.id, i.manager_id
          from beneath b
          join identity i
            on i.tenant_id = current_tenant()
           and i.id = b.id
         where i.manager_id is not null
         union
        select a.id, i.manager_id
          from above a
          join identity i
            on i.tenant_id = current_tenant()
           and i.id = a.manager_id
         where i.manager_id is not null
    ),
    wanted as materialized (
        select a.manager_id, a.id as report_id
          from above a
          join management_root r
            on r.tenant_id = current_tenant()
           and r.manager_id = a.manager_id
         where a.id <> a.manager_id
    ),
    gone as (
        delete from management m
         using beneath b
         where m.tenant_id = current_tenant()
           and m.report_id = b.id
           and not exists (select from wanted w where w.manager_id = m.manager_id and w.report_id = m.report_id)
    )
    insert into management (tenant_id, manager_id, report_id)
    select current_tenant(), w.manager_id, w.report_id
      from wanted w
        on conflict do nothing;
end $$;
-- +goose StatementEnd
comment on function follow_managers is
    'Updates management after these people''s managers changed. Only these people and their reports can have '
    'different managers above them. The query uses union, not union all, so that it ends even in a cycle.';

-- +goose StatementBegin
create function managers_changed() returns trigger language plpgsql
    set enable_nestloop = off
as $$
declare
    moved uuid[];
begin
    perform pg_advisory_xact_lock_shared(1501, hashtext(current_tenant()::text));
    if not exists (select from management_root r where r.tenant_id = current_tenant()) then
        return null;
    end if;
    case tg_op
        when 'INSERT' then
            moved := array(select n.id from new_row n where n.manager_id is not null);
        when 'UPDATE' then
            moved := array(select n.id
                             from new_row n
                             join old_row o
                               on o.tenant_id = n.tenant_id
                              and o.id = n.id
                            where o.manager_id is distinct from n.manager_id);
        else
            moved := array(select o.id from old_row o);
    end case;
    if cardinality(moved) > 0 then
        perform follow_managers(moved);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function managers_changed is
    'Trigger on identity: updates management after people were added, deleted or got another manager. It does '
    'nothing if the tenant has no management root.';

-- +goose StatementBegin
create function keep_management(manager uuid) returns void language plpgsql
as $$
declare
    wanted boolean := exists (select from app_user u where u.identity_id = manager and 'manager' = any (u.roles))
                   or exists (select from api_token k where k.bound_identity_id = manager and k.role = 'manager' and k.revoked_at is null);
    kept   boolean := exists (select from management_root r where r.manager_id = manager);
begin
    if wanted = kept or current_setting('app.erasing', true) = 'yes' or not pg_try_advisory_xact_lock(1501, hashtext(current_tenant()::text)) then
        return;
    end if;
    delete from management m where m.tenant_id = current_tenant() and m.manager_id = manager;
    if not wanted then
        delete from management_root r where r.tenant_id = current_tenant() and r.manager_id = manager;
        return;
    end if;
    insert into management_root (tenant_id, manager_id) values (current_tenant(), manager) on conflict do nothing;
    insert into management (tenant_id, manager_id, report_id) select current_tenant(), manager, r.id from reports_of(manager) r;
end $$;
-- +goose StatementEnd
comment on function keep_management is
    'Adds a manager to management_root if they have the manager role, or removes them if not. It does nothing '
    'while managers are being changed; the next sign-in corrects that. Until then, reports are found by '
    'recursion.';

-- +goose StatementBegin
create function manager_looks() returns trigger language plpgsql
as $$
declare
    before uuid;
    later  uuid;
begin
    if tg_op <> 'INSERT' then
        before := to_jsonb(old) ->> tg_argv[0];
    end if;
    if tg_op <> 'DELETE' then
        later := to_jsonb(new) ->> tg_argv[0];
    end if;
    if before is not null then
        perform keep_management(before);
    end if;
    if later is not null and later is distinct from before then
        perform keep_management(later);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function manager_looks is
    'Trigger on app_user and api_token: calls keep_management() for the identity in the named column. Its '
    'argument is the name of that column.';

-- +goose StatementBegin
create function identity_state(standing text, start_date date, termination_date date, last_working_at timestamptz, leave_from date, leave_to date, at timestamptz, today date, notice_at timestamptz, notice_day date) returns text language sql immutable parallel safe
as $$
    select case
        when standing in ('deactivated', 'archived') then 'deactivated'
        when last_working_at <= at or last_working_at is null and termination_date < today then 'deactivated'
        when start_date > today or standing = 'pre_hire' and start_date is null then 'pre_hire'
        when standing = 'notice' or last_working_at <= notice_at or last_working_at is null and termination_date <= notice_day then 'notice'
        when (standing = 'on_leave' or leave_from is not null) and coalesce(leave_from <= today, true) and coalesce(leave_to >= today, true) then 'on_leave'
        else 'active'
    end
$$;
-- +goose StatementEnd
comment on function identity_state is
    'Returns the state of a person from their standing and dates. The last day of employment and the last day of '
    'leave count as whole days. last_working_at takes precedence over termination_date.';

create aggregate told_by_rank(jsonb) (sfunc = jsonb_concat, stype = jsonb, initcond = '{}');
comment on aggregate told_by_rank(jsonb) is
    'Returns the filled fields of several records of one person. If two records fill a field, the later one '
    'applies.';

-- +goose StatementBegin
create function search_words(asked text) returns text[] language plpgsql immutable parallel safe
as $$
begin
    return array(select distinct left(w, 60) from regexp_split_to_table(search_fold(asked), '[\s!-/:-@\[-`{-~]+') w where w <> '');
end $$;
-- +goose StatementEnd
comment on function search_words is
    'Returns the words of a search. Each must be the beginning of one of the words that catalog_words() '
    'returns.';

create trigger manager_looks after insert or update or delete on app_user
    for each row execute function manager_looks('identity_id');
create trigger identity_deleted after delete on identity referencing old table as old_row
    for each statement execute function managers_changed();
create trigger identity_inserted after insert on identity referencing new table as new_row
    for each statement execute function managers_changed();
create trigger identity_updated after update on identity referencing old table as old_row new table as new_row
    for each statement execute function managers_changed();
create trigger manager_looks after insert or update or delete on api_token
    for each row execute function manager_looks('bound_identity_id');

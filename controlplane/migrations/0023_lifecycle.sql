-- +goose Up

alter table identity add column urgent boolean not null default false;
comment on column identity.urgent is 'Their access must change before everybody else''s: an immediate termination.';

create table lifecycle_policy (
    tenant_id     uuid        not null references tenant,
    timezone      text        not null default 'UTC',
    pre_hire_lead interval    not null default '0',
    mover_grace   interval    not null default '0',
    notice_lead   interval,
    leave_access  text        not null default 'disable',
    delete_after  interval,
    archive_after interval,
    rehire_attribute text,
    origin        jsonb       not null default '{"kind": "manual"}',
    updated_at    timestamptz not null default now(),
    version       int         not null default 1,
    constraint lifecycle_policy_pk primary key (tenant_id),
    constraint lifecycle_policy_leave_known check (leave_access in ('keep', 'disable'))
);
comment on table lifecycle_policy is 'How long before and after things happen to people. A tenant without a row has the defaults.';
comment on column lifecycle_policy.pre_hire_lead is 'How long before the start date a pre-hire''s access is made.';
comment on column lifecycle_policy.mover_grace is 'How long access stays that no longer follows from who somebody is, unless its policy says otherwise.';
comment on column lifecycle_policy.notice_lead is 'How long before their last day people are on notice; null: as soon as it is known.';
comment on column lifecycle_policy.rehire_attribute is 'The custom attribute by which a new record is recognised as a rehire, besides the employee number.';
comment on column lifecycle_policy.delete_after is 'How long after it was disabled a leaver''s account is deleted; null: never.';
comment on column lifecycle_policy.archive_after is 'How long after they were deactivated people are archived; null: never.';
call secure_tenant_table('lifecycle_policy');

-- What is said of somebody apart from their dates stands beside what follows from both. pins are the fields that a person decided
-- about though a source writes them.
alter table identity
    add column standing             text,
    add column pins                 jsonb       not null default '{}',
    add column merged_into_id       uuid,
    add column previous_identity_id uuid,
    add column minimised_at         timestamptz;
comment on column identity.standing is
    'What the source, or somebody by hand, says of a person apart from dates. status follows from it and from the dates: identity_state(). Null: the state itself.';
comment on column identity.pins is
    'By field: who pinned it, until when, and what the source says instead. A soft pin, made by an action, holds until the source says something else than then.';
comment on column identity.previous_identity_id is 'Who this person was when they were here before: a rehire.';
comment on column identity.minimised_at is 'Since when a personal record that was archived holds no more than what must be kept.';

-- States that only dates explain are not said by anybody. Whoever migrates owns the tables, and row security binds them too.
alter table identity no force row level security;
alter table identity_source no force row level security;
update identity
   set standing = case when status = 'archived' then 'deactivated'
                       when status = 'pre_hire' and start_date is not null then 'active'
                       when status = 'notice' and coalesce(last_working_at, termination_date) is not null then 'active'
                       else status end
;

alter table identity_source
    add column source_status text,
    add column filled        bigint;
comment on column identity_source.source_status is 'The source''s own word for the person''s state, when it was last read.';
comment on column identity_source.filled is 'Which fields the record fills: a bit for each that syncs write, in their order. Null: not known yet.';
update identity_source s
   set source_status = i.status
  from identity i
 where i.tenant_id = s.tenant_id
   and i.id = s.identity_id
   and i.source_connector_id = s.connector_id
   and i.status_source = 'hr';
alter table identity force row level security;
alter table identity_source force row level security;

-- +goose StatementBegin
create function identity_state(standing text, start_date date, termination_date date, last_working_at timestamptz, leave_from date, leave_to date,
    at timestamptz, today date, notice_at timestamptz, notice_day date) returns text language sql immutable parallel safe
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
    'The state that follows from what is said of somebody and from their dates. The last day, and the last of a leave, are whole days; last_working_at decides before termination_date.';

-- Whose day has come is found by these alone.
create index identity_to_start on identity (tenant_id, start_date) where status = 'pre_hire';
create index identity_to_end on identity (tenant_id, termination_date, last_working_at)
    where status in ('pre_hire', 'active', 'on_leave', 'notice') and (termination_date is not null or last_working_at is not null);
create index identity_to_leave on identity (tenant_id, leave_from) where status = 'active' and leave_from is not null;
create index identity_to_return on identity (tenant_id, leave_to) where status = 'on_leave' and leave_to is not null;
create index identity_to_archive on identity (tenant_id, status_changed_at) where status in ('deactivated', 'archived') and minimised_at is null;

-- Who has left and may come back, and who was brought together into whom.
create index identity_left on identity (tenant_id, employee_number) where status in ('deactivated', 'archived') and employee_number is not null;
create index identity_merged on identity (tenant_id, merged_into_id) where merged_into_id is not null;
create index identity_pinned on identity (tenant_id, id) where pins <> '{}';
create index identity_by_sponsor on identity (tenant_id, sponsor_id) where sponsor_id is not null;
create index identity_by_backup_owner on identity (tenant_id, backup_owner_id) where backup_owner_id is not null;

create table identity_schema (
    tenant_id  uuid        not null references tenant,
    open       boolean     not null default true,
    attributes jsonb       not null default '[]',
    updated_at timestamptz not null default now(),
    version    int         not null default 1,
    constraint identity_schema_pk primary key (tenant_id)
);
comment on table identity_schema is 'The custom attributes of a tenant''s people. A tenant without a row takes any.';
call secure_tenant_table('identity_schema');

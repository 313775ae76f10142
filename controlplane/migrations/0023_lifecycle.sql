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

-- +goose Up

alter table role
    add column backup_owner_ids      uuid[]  not null default '{}',
    add column membership_rule       jsonb,
    add column membership_exclusions jsonb   not null default '[]',
    add column requestable           boolean not null default false,
    add column visible_to            jsonb,
    add column parameters            jsonb   not null default '[]',
    add column max_duration          text,
    add column default_duration      text,
    add column approval_rule_id      uuid,
    add column risk_level            text,
    add column compliance_tags       text[]  not null default '{}',
    add column duty_tags             text[]  not null default '{}',
    add column managed_by            text    not null default 'ui',
    add constraint role_risk_known check (risk_level in ('low', 'medium', 'high', 'critical')),
    add constraint role_managed_by_known check (managed_by in ('ui', 'code', 'pack'));
comment on column role.risk_level is 'Where somebody said it; null: that of the riskiest thing it holds.';
comment on column role.membership_rule is 'Who has it by rule: a condition. Null: nobody.';

create table role_child (
    tenant_id uuid not null references tenant,
    role_id   uuid not null,
    child_id  uuid not null,
    constraint role_child_pk primary key (tenant_id, role_id, child_id),
    constraint role_child_role foreign key (tenant_id, role_id) references role (tenant_id, id) on delete cascade,
    constraint role_child_child foreign key (tenant_id, child_id) references role (tenant_id, id) on delete cascade
);
comment on table role_child is 'Nesting of roles: whoever has role_id has what child_id holds too. Writers keep it free of cycles, at most five deep.';
call secure_tenant_table('role_child');
create index role_child_by_child on role_child (tenant_id, child_id);

create table role_assignment (
    tenant_id   uuid        not null references tenant,
    id          uuid        not null,
    role_id     uuid        not null,
    identity_id uuid        not null,
    kind        text        not null,
    state       text        not null,
    reason      text        not null default '',
    parameters  jsonb       not null default '{}',
    request_id  uuid,
    details     jsonb       not null default '{}',
    starts_at   timestamptz not null default now(),
    ends_at     timestamptz,
    ended_at    timestamptz,
    end_reason  text,
    created_by  jsonb       not null default '{}',
    created_at  timestamptz not null default now(),
    updated_at  timestamptz not null default now(),
    version     int         not null default 1,
    constraint role_assignment_pk primary key (tenant_id, id),
    constraint role_assignment_kind_known check (kind in ('manual', 'request', 'emergency')),
    constraint role_assignment_state_known check (state in ('scheduled', 'active', 'ended'))
);
comment on table role_assignment is 'Somebody has a role by a decision, and not by its rule. Rows are never deleted. What they hold by it are reasons whose source_id is the assignment.';
call secure_tenant_table('role_assignment', 'select, insert, update');
create index role_assignment_by_identity on role_assignment (tenant_id, identity_id) where state <> 'ended';
create index role_assignment_by_role on role_assignment (tenant_id, role_id) where state <> 'ended';

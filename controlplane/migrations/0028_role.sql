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
create unique index role_assignment_by_hand on role_assignment (tenant_id, role_id, identity_id) where kind = 'manual' and state <> 'ended';
create index role_assignment_to_start on role_assignment (tenant_id, starts_at) where state = 'scheduled';
create index role_assignment_to_end on role_assignment (tenant_id, ends_at) where state <> 'ended' and ends_at is not null;
call readable_across('role_assignment', 'tenant_id, state, starts_at, ends_at');

-- +goose StatementBegin
create function roles_within(roles uuid[]) returns table (role_id uuid, part_id uuid) language sql stable parallel safe
as $$
    with recursive within (role_id, part_id, depth) as (
        select r.id, r.id, 1
          from role r
         where r.id = any (roles)
           and r.lifecycle in ('active', 'deprecated')
         union
        select w.role_id, c.child_id, w.depth + 1
          from within w
          join role_child c on c.role_id = w.part_id
          join role r on r.id = c.child_id
         where r.lifecycle in ('active', 'deprecated')
           and w.depth < 5
    )
    select distinct w.role_id, w.part_id from within w
$$;
-- +goose StatementEnd
comment on function roles_within(uuid[]) is 'What each of these roles is made of: itself, and all that is nested in it. What is a draft or retired gives nothing, and nothing through it.';

-- +goose StatementBegin
create function roles_around(parts uuid[]) returns setof uuid language sql stable parallel safe
as $$
    with recursive around (id) as (
        select p from unnest(parts) p
         union
        select c.role_id from around a join role_child c on c.child_id = a.id
    )
    select id from around
$$;
-- +goose StatementEnd
comment on function roles_around(uuid[]) is 'These roles, and all that they are nested in.';

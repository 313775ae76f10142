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

-- +goose StatementBegin
create function role_risk(role uuid) returns text language sql stable parallel safe
as $$
    with recursive part (id, depth) as (
        select role, 1
         union
        select c.child_id, p.depth + 1
          from part p
          join role_child c on c.role_id = p.id
          join role r on r.id = c.child_id
         where r.lifecycle <> 'retired'
           and p.depth < 5
    ), risk (level) as (
        select r.risk_level from part p join role r on r.id = p.id where p.depth > 1
         union all
        select e.risk_level from part p join role_entitlement x on x.role_id = p.id join entitlement e on e.id = x.entitlement_id
    )
    select (array['low', 'medium', 'high', 'critical'])[coalesce(max(array_position(array['low', 'medium', 'high', 'critical'], level)), 1)]
      from risk
$$;
-- +goose StatementEnd
comment on function role_risk(uuid) is 'The risk of the riskiest thing in a role or in what is nested in it, whatever the role itself says.';

alter table role
    add column rule_needs text[]      not null default '{}',
    add column rule_since timestamptz not null default now();
comment on column role.rule_needs is 'What its membership rule asks beyond the person''s own fields: managers, access, clock.';
comment on column role.rule_since is 'When its membership rule was last changed: what somebody has taken since then the rule does not give again.';
create index role_by_rule on role (tenant_id) where membership_rule is not null;

create table role_version (
    tenant_id  uuid        not null references tenant,
    role_id    uuid        not null,
    version    int         not null,
    content    jsonb       not null,
    changed_by jsonb       not null default '{}',
    changed_at timestamptz not null default now(),
    constraint role_version_pk primary key (tenant_id, role_id, version)
);
comment on table role_version is 'What a role said at each of its versions.';
-- Roles that are older than this table begin with what they say now. Whoever migrates owns the tables, and row security binds them too.
alter table role no force row level security;
alter table role_entitlement no force row level security;
insert into role_version (tenant_id, role_id, version, content, changed_at)
select r.tenant_id, r.id, r.version,
       jsonb_build_object('name', r.name, 'description', r.description, 'role_type', r.role_type, 'lifecycle', r.lifecycle, 'owner_ids', r.owner_ids,
           'backup_owner_ids', '[]'::jsonb, 'child_role_ids', '[]'::jsonb, 'membership_rule', null, 'membership_exclusions', '[]'::jsonb, 'requestable', false,
           'visible_to', null, 'parameters', '[]'::jsonb, 'max_duration', null, 'default_duration', null, 'approval_rule_id', null, 'risk_level', null,
           'compliance_tags', '[]'::jsonb, 'duty_tags', '[]'::jsonb, 'labels', r.labels,
           'entitlement_ids', coalesce((select jsonb_agg(x.entitlement_id order by x.entitlement_id) from role_entitlement x
                                         where x.tenant_id = r.tenant_id and x.role_id = r.id), '[]'::jsonb)),
       r.updated_at
  from role r;
alter table role force row level security;
alter table role_entitlement force row level security;
call secure_tenant_table('role_version', 'select, insert');

create table role_draft (
    tenant_id    uuid        not null references tenant,
    role_id      uuid        not null,
    content      jsonb       not null,
    base_version int         not null,
    proposed     boolean     not null default false,
    changed_by   jsonb       not null default '{}',
    created_at   timestamptz not null default now(),
    updated_at   timestamptz not null default now(),
    version      int         not null default 1,
    constraint role_draft_pk primary key (tenant_id, role_id),
    constraint role_draft_role foreign key (tenant_id, role_id) references role (tenant_id, id) on delete cascade
);
comment on table role_draft is 'What a role in use is to become: its working copy, until that is published or dropped.';
comment on column role_draft.base_version is 'The version of the role that it was made of.';
call secure_tenant_table('role_draft');

-- A role can say who has it, and what it holds reaches people through those that it is nested in. What the evaluation of policies watches
-- for policies it watches for roles too.

create or replace function policies_ask(need text) returns boolean language sql stable
return exists (select from access_policy p
                where p.tenant_id = current_tenant()
                  and p.deleted_at is null
                  and p.enabled
                  and (need is null or need = any (p.needs)))
    or exists (select from role r
                where r.tenant_id = current_tenant()
                  and r.membership_rule is not null
                  and r.lifecycle in ('active', 'deprecated')
                  and (need is null or need = any (r.rule_needs)));
comment on function policies_ask(text) is 'Whether a policy of the tenant, or the membership rule of a role, asks for something, or there is any at all.';

drop trigger access_takes_turn_first on access_reason;
drop trigger access_takes_turn_again on access_reason;
create trigger access_takes_turn_first after insert on access_reason
    for each row when (new.source_type not in ('policy', 'role')) execute function access_takes_turn();
create trigger access_takes_turn_again after update on access_reason
    for each row when (new.source_type not in ('policy', 'role') and old.state <> new.state) execute function access_takes_turn();

-- +goose StatementBegin
create function roles_take_turn(changed uuid[], why text) returns void language plpgsql
as $$
declare
    around uuid[] := array(select roles_around(changed));
begin
    if exists (select from access_policy p
                where p.tenant_id = current_tenant() and p.deleted_at is null and p.enabled
                  and p.resources -> 'role_ids' ?| around::text[])
       or exists (select from role r where r.tenant_id = current_tenant() and r.id = any (around) and r.membership_rule is not null) then
        insert into policy_sweep (tenant_id, why) values (current_tenant(), why);
    end if;
    insert into identity_turn (tenant_id, identity_id)
    select distinct current_tenant(), a.identity_id
      from role_assignment a
     where a.tenant_id = current_tenant()
       and a.role_id = any (around)
       and a.state <> 'ended';
    perform pg_notify('identity_turn', '');
end $$;
-- +goose StatementEnd
comment on function roles_take_turn(uuid[], text) is
    'Has everybody looked at to whom a rule may give these roles, or what they are nested in, and those who have them by a decision.';

-- +goose StatementBegin
create function role_contents_take_turn() returns trigger language plpgsql
as $$
declare
    changed uuid[] := array(select distinct role_id from changed_row);
begin
    if cardinality(changed) > 0 then
        perform roles_take_turn(changed, 'a role holds something else');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function role_contents_take_turn() is 'Has those looked at to whom roles give something else, once a statement.';
drop trigger policies_take_turn on role_entitlement;
create trigger role_contents_take_turn_more after insert on role_entitlement referencing new table as changed_row
    for each statement execute function role_contents_take_turn();
create trigger role_contents_take_turn_less after delete on role_entitlement referencing old table as changed_row
    for each statement execute function role_contents_take_turn();
create trigger role_contents_take_turn_more after insert on role_child referencing new table as changed_row
    for each statement execute function role_contents_take_turn();
create trigger role_contents_take_turn_less after delete on role_child referencing old table as changed_row
    for each statement execute function role_contents_take_turn();

-- +goose StatementBegin
create function role_takes_turn() returns trigger language plpgsql
as $$
begin
    perform roles_take_turn(array[new.id], 'a role gives its entitlements, or does no more');
    if tg_op = 'UPDATE' and old.membership_rule is not null and new.membership_rule is null then
        insert into policy_sweep (tenant_id, why) values (current_tenant(), 'a role has no membership rule any more');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function role_takes_turn() is 'Has those looked at whom a role gives something, or gave, when it says otherwise who has it or is put into or out of use.';
drop trigger policies_take_turn on role;
create trigger role_takes_turn_first after insert on role
    for each row when (new.membership_rule is not null) execute function role_takes_turn();
create trigger role_takes_turn_again after update on role
    for each row when (old.lifecycle <> new.lifecycle or old.membership_rule is distinct from new.membership_rule
                       or old.membership_exclusions <> new.membership_exclusions)
    execute function role_takes_turn();

-- +goose StatementBegin
create function entitlement_takes_turn() returns trigger language plpgsql
as $$
declare
    holding uuid[] := array(select x.role_id from role_entitlement x where x.tenant_id = new.tenant_id and x.entitlement_id = new.id);
begin
    if exists (select from access_policy p
                where p.tenant_id = new.tenant_id and p.deleted_at is null and p.enabled and p.resources -> 'entitlement_ids' ? new.id::text) then
        insert into policy_sweep (tenant_id, why) values (current_tenant(), 'an entitlement can be given, or cannot any more');
        perform pg_notify('identity_turn', '');
    end if;
    if cardinality(holding) > 0 then
        perform roles_take_turn(holding, 'an entitlement can be given, or cannot any more');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function entitlement_takes_turn() is 'Has those looked at to whom policies and roles give an entitlement that can be given now, or cannot any more.';
drop trigger policies_take_turn on entitlement;
create trigger entitlement_takes_turn after update on entitlement
    for each row when (old.lifecycle <> new.lifecycle or (old.removed_at is null) <> (new.removed_at is null))
    execute function entitlement_takes_turn();
drop function policies_take_turn();

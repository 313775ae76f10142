-- +goose Up

create table access_policy (
    tenant_id       uuid        not null references tenant,
    id              uuid        not null,
    name            text        not null,
    description     text        not null default '',
    enabled         boolean     not null default true,
    mode            text        not null default 'shadow',
    effect          text        not null default 'assign',
    birthright      boolean     not null default false,
    priority        int         not null default 100,
    owner_ids       uuid[]      not null default '{}',
    subject         jsonb       not null,
    resources       jsonb       not null default '{}',
    lifecycle       jsonb       not null default '{}',
    breaker         jsonb,
    tripped_at      timestamptz,
    origin          jsonb       not null default '{"kind": "manual"}',
    stats           jsonb       not null default '{}',
    evaluated_at    timestamptz,
    created_at      timestamptz not null default now(),
    updated_at      timestamptz not null default now(),
    deleted_at      timestamptz,
    version         int         not null default 1,
    constraint access_policy_pk primary key (tenant_id, id),
    constraint access_policy_mode_known check (mode in ('shadow', 'enforce')),
    constraint access_policy_effect_known check (effect in ('assign', 'deny'))
);
comment on table access_policy is 'Who is given, or may not hold, what, by rule. One with birthright fires by itself when an identity is made or changes.';
call secure_tenant_table('access_policy');

-- Whose rules have to be looked at. Rows are only ever added and taken.
create table identity_turn (
    tenant_id   uuid        not null references tenant,
    id          bigint      not null generated always as identity,
    identity_id uuid        not null,
    urgent      boolean     not null default false,
    since       timestamptz not null default now(),
    constraint identity_turn_pk primary key (tenant_id, id)
);
comment on table identity_turn is 'People who were made or have changed in what rules ask for. The evaluation of policies takes the rows.';
call secure_tenant_table('identity_turn', 'select, insert, delete');
call readable_across('identity_turn', 'tenant_id, urgent, since');

alter table access_policy
    add column needs          text[]      not null default '{}',
    add column allowance      int         not null default 0,
    add column accepted_at    timestamptz,
    add column breaker_reason text;
comment on column access_policy.needs is 'What its condition asks beyond the person''s own fields: managers, access, clock.';
comment on column access_policy.allowance is 'Changes that somebody has seen and accepted beyond what the breaker lets pass, within one of its windows from accepted_at.';
comment on column access_policy.tripped_at is 'When it had changed more than its breaker lets pass. Nothing of it is applied until somebody accepts that.';
create index access_policy_live on access_policy (tenant_id, id) where deleted_at is null;

create table access_policy_version (
    tenant_id  uuid        not null references tenant,
    policy_id  uuid        not null,
    version    int         not null,
    content    jsonb       not null,
    changed_by jsonb       not null default '{}',
    changed_at timestamptz not null default now(),
    constraint access_policy_version_pk primary key (tenant_id, policy_id, version)
);
comment on table access_policy_version is 'What a policy said at each of its versions, which reasons name.';
call secure_tenant_table('access_policy_version', 'select, insert');

create table access_policy_change (
    tenant_id uuid        not null references tenant,
    policy_id uuid        not null,
    at        timestamptz not null default now(),
    changes   int         not null,
    id        bigint      not null generated always as identity,
    constraint access_policy_change_pk primary key (tenant_id, policy_id, at, id)
);
comment on table access_policy_change is 'How many reasons a policy with a breaker has given and taken, and when, for as long as the breaker looks back.';
call secure_tenant_table('access_policy_change', 'select, insert, delete');

-- Who asks that everybody be looked at adds a row, in the transaction of what has changed; the evaluation takes the rows and begins a
-- walk in one transaction of its own, so that a row that it did not see leads to another walk.
create table policy_sweep (
    tenant_id    uuid        not null references tenant,
    id           bigint      not null generated always as identity,
    why          text        not null,
    requested_at timestamptz not null default now(),
    constraint policy_sweep_pk primary key (tenant_id, id)
);
comment on table policy_sweep is 'That the rules of all of a tenant''s people have to be looked at: a policy has changed, or what one gives.';
call secure_tenant_table('policy_sweep', 'select, insert, delete');
call readable_across('policy_sweep', 'tenant_id');

create table policy_walk (
    tenant_id   uuid        not null references tenant,
    position    uuid,
    total       int         not null default 0,
    done        int         not null default 0,
    stats       jsonb       not null default '{}',
    fresh_until timestamptz,
    started_at  timestamptz,
    finished_at timestamptz,
    constraint policy_walk_pk primary key (tenant_id)
);
comment on table policy_walk is 'How far the evaluation has come with looking at everybody.';
comment on column policy_walk.fresh_until is 'When the tenant''s day ends that dates were last compared with: where policies ask for dates that move, each day everybody is looked at.';
call secure_tenant_table('policy_walk', 'select, insert, update');
call readable_across('policy_walk', 'tenant_id, fresh_until, started_at, finished_at');

alter table identity_turn add column tree boolean not null default false;
comment on column identity_turn.tree is 'Their manager is another one, so that who is above everybody beneath them is too.';
create index identity_turn_urgent on identity_turn (tenant_id, id) where urgent;

-- +goose StatementBegin
create function policies_ask(need text) returns boolean language sql stable
as $$
    select exists (select from access_policy p
                    where p.tenant_id = current_tenant()
                      and p.deleted_at is null
                      and p.enabled
                      and (need is null or need = any (p.needs)))
$$;
-- +goose StatementEnd
comment on function policies_ask(text) is 'Whether a policy of the tenant asks for something, or there is any at all.';

-- +goose StatementBegin
create function identity_takes_turn() returns trigger language plpgsql
as $$
declare
    asked boolean := policies_ask(null);
    added int;
begin
    if tg_op = 'INSERT' then
        insert into identity_turn (tenant_id, identity_id, urgent)
        select n.tenant_id, n.id, n.urgent
          from new_row n
         where asked or n.status in ('deactivated', 'archived');
    else
        insert into identity_turn (tenant_id, identity_id, urgent, tree)
        select n.tenant_id, n.id, n.urgent, asked and o.manager_id is distinct from n.manager_id
          from new_row n
          join old_row o
            on o.tenant_id = n.tenant_id
           and o.id = n.id
         where o.status <> n.status
            or n.urgent and not o.urgent
            or asked and (o.external_id, o.source_connector_id, o.kind, o.employment_type, o.email, o.secondary_emails, o.username, o.first_name,
                          o.middle_name, o.last_name, o.preferred_name, o.display_name, o.employee_number, o.department, o.division,
                          o.organization, o.cost_center, o.title, o.job_code, o.job_family, o.location, o.country, o.locale, o.timezone,
                          o.manager_external_id, o.manager_id, o.sponsor_id, o.backup_owner_id, o.hire_date, o.start_date, o.termination_date,
                          o.last_working_at, o.leave_from, o.leave_to, o.status_reason, o.status_source, o.attributes, o.labels)
                         is distinct from
                         (n.external_id, n.source_connector_id, n.kind, n.employment_type, n.email, n.secondary_emails, n.username, n.first_name,
                          n.middle_name, n.last_name, n.preferred_name, n.display_name, n.employee_number, n.department, n.division,
                          n.organization, n.cost_center, n.title, n.job_code, n.job_family, n.location, n.country, n.locale, n.timezone,
                          n.manager_external_id, n.manager_id, n.sponsor_id, n.backup_owner_id, n.hire_date, n.start_date, n.termination_date,
                          n.last_working_at, n.leave_from, n.leave_to, n.status_reason, n.status_source, n.attributes, n.labels);
    end if;
    get diagnostics added = row_count;
    if added > 0 then
        perform pg_notify('identity_turn', '');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function identity_takes_turn() is
    'Has the rules of people looked at who are new or have changed in what rules may ask for. That a record was read again is no change.';
create trigger identity_takes_turn_first after insert on identity referencing new table as new_row
    for each statement execute function identity_takes_turn();
create trigger identity_takes_turn_again after update on identity referencing old table as old_row new table as new_row
    for each statement execute function identity_takes_turn();

-- +goose StatementBegin
create function access_takes_turn() returns trigger language plpgsql
as $$
begin
    if policies_ask('access') then
        insert into identity_turn (tenant_id, identity_id) values (new.tenant_id, new.identity_id);
        perform pg_notify('identity_turn', '');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function access_takes_turn() is 'Has the rules of somebody looked at who was given something, or has lost it, otherwise than by a policy.';
create trigger access_takes_turn_first after insert on access_reason
    for each row when (new.source_type <> 'policy') execute function access_takes_turn();
create trigger access_takes_turn_again after update on access_reason
    for each row when (new.source_type <> 'policy' and old.state <> new.state) execute function access_takes_turn();

-- +goose StatementBegin
create function policies_take_turn() returns trigger language plpgsql
as $$
declare
    gives_more boolean;
begin
    if tg_table_name = 'entitlement' then
        gives_more := exists (select from access_policy p
                               where p.tenant_id = new.tenant_id and p.deleted_at is null and p.enabled
                                 and (p.resources -> 'entitlement_ids' ? new.id::text
                                      or exists (select from role_entitlement x
                                                  where x.tenant_id = new.tenant_id and x.entitlement_id = new.id
                                                    and p.resources -> 'role_ids' ? x.role_id::text)));
    elsif tg_op = 'DELETE' then
        gives_more := exists (select from access_policy p
                               where p.tenant_id = old.tenant_id and p.deleted_at is null and p.enabled and p.resources -> 'role_ids' ? old.role_id::text);
    elsif tg_table_name = 'role' then
        gives_more := exists (select from access_policy p
                               where p.tenant_id = new.tenant_id and p.deleted_at is null and p.enabled and p.resources -> 'role_ids' ? new.id::text);
    else
        gives_more := exists (select from access_policy p
                               where p.tenant_id = new.tenant_id and p.deleted_at is null and p.enabled and p.resources -> 'role_ids' ? new.role_id::text);
    end if;
    if gives_more then
        insert into policy_sweep (tenant_id, why) values (current_tenant(), tg_argv[0]);
        perform pg_notify('identity_turn', '');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function policies_take_turn() is 'Has everybody looked at when what policies give has changed: what a role holds, or whether an entitlement can be given.';
create trigger policies_take_turn after insert or delete on role_entitlement
    for each row execute function policies_take_turn('a role holds something else');
create trigger policies_take_turn after update on role
    for each row when (old.lifecycle <> new.lifecycle) execute function policies_take_turn('a role gives its entitlements, or does no more');
create trigger policies_take_turn after update on entitlement
    for each row when (old.lifecycle <> new.lifecycle or (old.removed_at is null) <> (new.removed_at is null))
    execute function policies_take_turn('an entitlement can be given, or cannot any more');

-- +goose StatementBegin
create function lifecycle_takes_turn() returns trigger language plpgsql
as $$
begin
    if policies_ask(null) then
        insert into policy_sweep (tenant_id, why) values (new.tenant_id, 'the lifecycle was changed');
        perform pg_notify('identity_turn', '');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function lifecycle_takes_turn() is 'Has everybody looked at when the lead and grace that policies leave to the lifecycle have changed, or where days begin.';
create trigger lifecycle_takes_turn after insert or update on lifecycle_policy
    for each row execute function lifecycle_takes_turn();

-- +goose Up

-- Separation of duties: duties and the policies about them.

-- Functions are created before the tables that they read.
set local check_function_bodies = off;

create table duty (
    tenant_id   uuid        not null references tenant,
    id          uuid        not null,
    name        text        not null,
    description text        not null default '',
    process     text        not null default '',
    owner_ids   uuid[]      not null default '{}',
    origin      jsonb       not null default '{"kind": "manual"}',
    created_at  timestamptz not null default now(),
    updated_at  timestamptz not null default now(),
    deleted_at  timestamptz,
    version     int         not null default 1,
    constraint duty_pk primary key (tenant_id, id)
);
comment on table duty is
    'One duty: a function of the business, such as paying invoices, that separation-of-duties policies name. A '
    'person performs it with at least one member of each of its groups.';
call secure_tenant_table('duty');
create unique index duty_name_unique on duty (tenant_id, lower(name)) where deleted_at is null;

create table duty_member (
    tenant_id      uuid not null references tenant,
    duty_id        uuid not null,
    group_number   int  not null,
    position       int  not null,
    kind           text not null,
    entitlement_id uuid,
    role_id        uuid,
    duty_tag       text,
    connector_id   uuid,
    external_id    text,
    constraint duty_member_pk primary key (tenant_id, duty_id, group_number, position),
    constraint duty_member_duty foreign key (tenant_id, duty_id) references duty (tenant_id, id) on delete cascade,
    constraint duty_member_kind_known check (kind in ('entitlement', 'role', 'duty_tag', 'connector', 'external')),
    constraint duty_member_names_one check (
        (entitlement_id is not null) = (kind = 'entitlement')
        and (role_id is not null) = (kind = 'role')
        and (duty_tag is not null) = (kind = 'duty_tag')
        and (connector_id is not null) = (kind in ('connector', 'external'))
        and (external_id is not null) = (kind = 'external'))
);
comment on table duty_member is
    'One member of a group of a duty: an entitlement, the contents of a role, everything with a duty tag, all '
    'entitlements of a connector, or an entitlement by its external ID. What it names may be missing.';
comment on column duty_member.external_id is
    'External ID of an entitlement of the connector, which may not have been read yet. Null for other kinds.';
call secure_tenant_table('duty_member');
create index duty_member_by_connector on duty_member (tenant_id, connector_id, external_id) where connector_id is not null;
create index duty_member_by_entitlement on duty_member (tenant_id, entitlement_id) where entitlement_id is not null;
create index duty_member_by_role on duty_member (tenant_id, role_id) where role_id is not null;
create index duty_member_by_tag on duty_member (tenant_id, duty_tag) where duty_tag is not null;

create table duty_version (
    tenant_id  uuid        not null references tenant,
    duty_id    uuid        not null,
    version    int         not null,
    content    jsonb       not null,
    changed_by jsonb       not null default '{}',
    changed_at timestamptz not null default now(),
    constraint duty_version_pk primary key (tenant_id, duty_id, version)
);
comment on table duty_version is 'One version of a duty, with its content at that time.';
call secure_tenant_table('duty_version', 'select, insert');

create table separation_policy (
    tenant_id       uuid        not null references tenant,
    id              uuid        not null,
    name            text        not null,
    description     text        not null default '',
    rationale       text        not null default '',
    regulation_refs text[]      not null default '{}',
    owner_ids       uuid[]      not null default '{}',
    enabled         boolean     not null default true,
    mode            text        not null default 'draft',
    severity        text        not null default 'medium',
    kind            text        not null,
    sides           jsonb       not null,
    duty_ids        uuid[]      not null,
    n               int,
    matrix          jsonb,
    history_window  text,
    context         jsonb       not null default '{}',
    effects         jsonb       not null default '{}',
    remediation     text        not null default '',
    mitigation_policy_ids uuid[] not null default '{}',
    max_mitigation  text,
    exception_rule_id uuid,
    exemptions      jsonb,
    valid_from      timestamptz,
    valid_to        timestamptz,
    origin          jsonb       not null default '{"kind": "manual"}',
    created_at      timestamptz not null default now(),
    updated_at      timestamptz not null default now(),
    deleted_at      timestamptz,
    version         int         not null default 1,
    constraint separation_policy_pk primary key (tenant_id, id),
    constraint separation_policy_kind_known check (kind in ('pair', 'n_of_m', 'matrix', 'companion', 'history')),
    constraint separation_policy_mode_known check (mode in ('draft', 'shadow', 'enforce')),
    constraint separation_policy_severity_known check (severity in ('low', 'medium', 'high', 'critical'))
);
comment on table separation_policy is
    'One separation-of-duties policy: which duties one person must not perform together, or which duty requires '
    'another one.';
comment on column separation_policy.sides is 'Sides of the policy, each with a label and the IDs of its duties.';
comment on column separation_policy.duty_ids is 'All duties of all sides, each once.';
comment on column separation_policy.n is
    'Number of sides that together violate a policy of the kind n_of_m. Null for other kinds.';
comment on column separation_policy.matrix is
    'Pairs of sides that conflict, for the kind matrix. Null for other kinds.';
comment on column separation_policy.history_window is
    'ISO 8601 duration for which the second side counts after it ended, for the kind history. Null for other kinds.';
comment on column separation_policy.effects is
    'What happens to an access request that would violate the policy while it is enforced.';
comment on column separation_policy.mitigation_policy_ids is
    'Mitigating controls that can be applied to violations of the policy, and proposed in requests. Empty: all that '
    'apply, and none in requests.';
comment on column separation_policy.max_mitigation is
    'Longest ISO 8601 duration of a mitigation, and of access that is given by an exception. Null: no limit of the '
    'policy.';
comment on column separation_policy.exception_rule_id is
    'Approval rule whose approvers allow exceptions. Null: exceptions are not possible.';
comment on column separation_policy.exemptions is
    'Condition on people to whom the policy does not apply. Null: none.';
call secure_tenant_table('separation_policy');
create unique index separation_policy_name_unique on separation_policy (tenant_id, lower(name)) where deleted_at is null;

create table separation_policy_version (
    tenant_id  uuid        not null references tenant,
    policy_id  uuid        not null,
    version    int         not null,
    content    jsonb       not null,
    changed_by jsonb       not null default '{}',
    changed_at timestamptz not null default now(),
    constraint separation_policy_version_pk primary key (tenant_id, policy_id, version)
);
comment on table separation_policy_version is
    'One version of a separation-of-duties policy, with its content at that time.';
call secure_tenant_table('separation_policy_version', 'select, insert');

create table separation_change (
    tenant_id      uuid not null references tenant,
    transaction_id xid8 not null default pg_current_xact_id(),
    constraint separation_change_pk primary key (tenant_id, transaction_id)
);
comment on table separation_change is
    'One transaction that changed duties, separation-of-duties policies, or the entitlements of duty members. The '
    'rows that a process can see are the revision of its prepared policies. Only the newest rows are kept.';
call secure_tenant_table('separation_change', 'select, insert, update, delete');
create index entitlement_with_duty_tags on entitlement (tenant_id, id) where duty_tags <> '{}';

-- +goose StatementBegin
create function duty_entitlements(duties uuid[] DEFAULT NULL::uuid[]) returns TABLE(duty_id uuid, group_number integer, entitlement_id uuid) language sql stable parallel safe
as $$
    with member as materialized (
        select m.*
          from duty_member m
          join duty d on d.tenant_id = m.tenant_id and d.id = m.duty_id and d.deleted_at is null
         where m.tenant_id = current_tenant()
           and (duties is null or m.duty_id = any (duties))
    ), named_role as (
        select m.duty_id, m.group_number, m.role_id from member m where m.kind = 'role'
         union
        select m.duty_id, m.group_number, r.id
          from member m
          join role r on r.duty_tags @> array[m.duty_tag]
         where m.kind = 'duty_tag'
    )
    select m.duty_id, m.group_number, e.id
      from member m
      join entitlement e on e.id = m.entitlement_id
     where m.kind = 'entitlement'
     union
    select m.duty_id, m.group_number, e.id
      from member m
      join entitlement e on e.connector_id = m.connector_id and e.external_id = m.external_id
     where m.kind = 'external'
     union
    select m.duty_id, m.group_number, e.id
      from member m
      join entitlement e on e.connector_id = m.connector_id
     where m.kind = 'connector'
     union
    select m.duty_id, m.group_number, e.id
      from member m
      join entitlement e on e.duty_tags <> '{}' and e.duty_tags @> array[m.duty_tag]
     where m.kind = 'duty_tag'
     union
    select n.duty_id, n.group_number, x.entitlement_id
      from named_role n
      join roles_within(array(select distinct role_id from named_role)) w on w.role_id = n.role_id
      join role_entitlement x on x.role_id = w.part_id
$$;
-- +goose StatementEnd
comment on function duty_entitlements is
    'Returns the entitlements of the members of these duties, by group; without an argument, those of all '
    'duties. Entitlements that are gone from their system are included, because policies may ask for the past.';

-- +goose StatementBegin
create function duties_of_entitlement(entitlement uuid) returns setof uuid language sql stable parallel safe
as $$
    with e as materialized (
        select e.id, e.connector_id, e.external_id, e.duty_tags from entitlement e where e.id = entitlement
    ), around as materialized (
        select a as id
          from roles_around(array(select x.role_id from role_entitlement x where x.entitlement_id = entitlement)) a
    ), near as (
        select m.duty_id from e join duty_member m on m.entitlement_id = e.id
         union
        select m.duty_id
          from e
          join duty_member m
            on m.kind = 'external'
           and m.connector_id = e.connector_id
           and m.external_id = e.external_id
         union
        select m.duty_id from e join duty_member m on m.kind = 'connector' and m.connector_id = e.connector_id
         union
        select m.duty_id from e join duty_member m on m.kind = 'duty_tag' and m.duty_tag = any (e.duty_tags)
         union
        select m.duty_id from around a join duty_member m on m.role_id = a.id
         union
        select m.duty_id
          from around a
          join role r
            on r.id = a.id
          join duty_member m
            on m.kind = 'duty_tag'
           and m.duty_tag = any (r.duty_tags)
    )
    select distinct x.duty_id
      from duty_entitlements(array(select duty_id from near)) x
     where x.entitlement_id = entitlement
$$;
-- +goose StatementEnd
comment on function duties_of_entitlement is
    'Returns the duties that an entitlement belongs to. It resolves the members of those duties alone that have a '
    'member which can include the entitlement.';

-- +goose StatementBegin
create function blind_duties(duties uuid[] DEFAULT NULL::uuid[]) returns TABLE(duty_id uuid) language sql stable parallel safe
as $$
    with recursive part (duty_id, group_number, first) as (
        select d.id,
               (select min(m.group_number) from duty_member m where m.tenant_id = current_tenant() and m.duty_id = d.id),
               true
          from duty d
         where d.tenant_id = current_tenant()
           and d.deleted_at is null
           and (duties is null or d.id = any (duties))
         union all
        select p.duty_id,
               (select min(m.group_number)
                  from duty_member m
                 where m.tenant_id = current_tenant() and m.duty_id = p.duty_id and m.group_number > p.group_number),
               false
          from part p
         where p.group_number is not null
    ), sighted_role as materialized (
        select distinct w.role_id
          from roles_within(array(select m.role_id from duty_member m where m.tenant_id = current_tenant() and m.role_id is not null
                                   union
                                  select r.id from role r where r.duty_tags <> '{}')) w
          join role_entitlement x on x.role_id = w.part_id
          join entitlement e on e.id = x.entitlement_id
         where e.removed_at is null
           and e.lifecycle <> 'disconnected'
    ), sighted_tag as materialized (
        select t.tag
          from entitlement e
         cross join unnest(e.duty_tags) t (tag)
         where e.duty_tags <> '{}'
           and e.removed_at is null
           and e.lifecycle <> 'disconnected'
         union
        select t.tag
          from sighted_role s
          join role r on r.id = s.role_id
         cross join unnest(r.duty_tags) t (tag)
    )
    select distinct p.duty_id
      from part p
     where case when p.group_number is null then p.first
                else (select true
                        from duty_member m
                       where m.tenant_id = current_tenant()
                         and m.duty_id = p.duty_id
                         and m.group_number = p.group_number
                         and case m.kind
                                  when 'role' then m.role_id in (select s.role_id from sighted_role s)
                                  when 'duty_tag' then m.duty_tag in (select t.tag from sighted_tag t)
                                  when 'entitlement' then (select true
                                          from entitlement e
                                         where e.id = m.entitlement_id
                                           and e.removed_at is null
                                           and e.lifecycle <> 'disconnected'
                                         limit 1) is true
                                  when 'external' then (select true
                                          from entitlement e
                                         where e.connector_id = m.connector_id
                                           and e.external_id = m.external_id
                                           and e.removed_at is null
                                           and e.lifecycle <> 'disconnected'
                                         limit 1) is true
                                  else (select true
                                          from entitlement e
                                         where e.connector_id = m.connector_id
                                           and e.removed_at is null
                                           and e.lifecycle <> 'disconnected'
                                         limit 1) is true
                             end
                       limit 1) is not true
           end
$$;
-- +goose StatementEnd
comment on function blind_duties is
    'Returns which of these duties no person can perform at present: a group has no entitlement left in a connected '
    'system. Without an argument, it looks at all duties.';

-- +goose StatementBegin
create function note_separation_change() returns void language sql
as $$
    insert into separation_change (tenant_id) values (current_tenant()) on conflict do nothing;
    delete from separation_change
     where tenant_id = current_tenant()
       and transaction_id in (
           select c.transaction_id
             from separation_change c
            where c.tenant_id = current_tenant()
              and c.transaction_id <> pg_current_xact_id()
              and c.transaction_id <= (
                  select k.transaction_id
                    from separation_change k
                   where k.tenant_id = current_tenant()
                   order by k.transaction_id desc
                  offset 64 limit 1)
              for update skip locked);
$$;
-- +goose StatementEnd
comment on function note_separation_change is
    'Notes that prepared separation-of-duties policies must be loaded again. It adds a row of its own transaction, so '
    'that two writers never wait for each other, and deletes all rows but the newest 64.';

-- +goose StatementBegin
create function policy_changes_separation() returns trigger language plpgsql
as $$
begin
    perform note_separation_change();
    return null;
end $$;
-- +goose StatementEnd
comment on function policy_changes_separation is
    'Trigger on duty and separation_policy: calls note_separation_change().';

-- +goose StatementBegin
create function role_changes_separation() returns trigger language plpgsql
as $$
begin
    if exists (select from duty_member m where m.tenant_id = current_tenant() and m.kind in ('role', 'duty_tag')) then
        perform note_separation_change();
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function role_changes_separation is
    'Trigger on role and its contents: calls note_separation_change() if a duty has roles or duty tags as members.';

-- +goose StatementBegin
create function entitlements_change_separation() returns trigger language plpgsql
as $$
begin
    if exists (select from duty_member m
                 join changed_row c on c.connector_id = m.connector_id
                where m.tenant_id = current_tenant()
                  and (m.kind = 'connector' or m.external_id = c.external_id))
       or exists (select from duty_member m
                    join changed_row c on c.id = m.entitlement_id
                   where m.tenant_id = current_tenant())
       or exists (select from duty_member m
                    join changed_row c on c.duty_tags <> '{}' and m.duty_tag = any (c.duty_tags)
                   where m.tenant_id = current_tenant()) then
        perform note_separation_change();
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function entitlements_change_separation is
    'Trigger on entitlement: calls note_separation_change() if one of the new or deleted entitlements is in a '
    'duty.';

-- +goose StatementBegin
create function entitlement_changes_separation() returns trigger language plpgsql
as $$
begin
    if exists (select from duty_member m
                where m.tenant_id = new.tenant_id
                  and m.connector_id = any (array[old.connector_id, new.connector_id])
                  and (m.kind = 'connector' or m.external_id in (old.external_id, new.external_id)))
       or exists (select from duty_member m
                   where m.tenant_id = new.tenant_id and m.entitlement_id = new.id)
       or exists (select from duty_member m
                   where m.tenant_id = new.tenant_id and m.duty_tag = any (old.duty_tags || new.duty_tags))
       or exists (select from role_entitlement x where x.tenant_id = new.tenant_id and x.entitlement_id = new.id)
          and exists (select from duty_member m where m.tenant_id = new.tenant_id and m.kind in ('role', 'duty_tag')) then
        perform note_separation_change();
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function entitlement_changes_separation is
    'Trigger on entitlement: calls note_separation_change() if the entitlement is in a duty, or was in one.';

create trigger duty_changes_separation after insert or update on duty
    for each statement execute function policy_changes_separation();
create trigger policy_changes_separation after insert or update on separation_policy
    for each statement execute function policy_changes_separation();
create trigger role_changes_separation after update on role
    for each row when (old.lifecycle <> new.lifecycle or old.duty_tags <> new.duty_tags)
    execute function role_changes_separation();
create trigger role_contents_change_separation after insert or delete on role_entitlement
    for each statement execute function role_changes_separation();
create trigger role_children_change_separation after insert or delete on role_child
    for each statement execute function role_changes_separation();
create trigger entitlements_change_separation_less after delete on entitlement referencing old table as changed_row
    for each statement execute function entitlements_change_separation();
create trigger entitlements_change_separation_more after insert on entitlement referencing new table as changed_row
    for each statement execute function entitlements_change_separation();
create trigger entitlement_changes_separation after update on entitlement
    for each row when (old.lifecycle <> new.lifecycle or (old.removed_at is null) <> (new.removed_at is null)
                       or old.duty_tags <> new.duty_tags or old.connector_id is distinct from new.connector_id
                       or old.external_id <> new.external_id)
    execute function entitlement_changes_separation();

create table separation_shadow_block (
    tenant_id  uuid        not null references tenant,
    policy_id  uuid        not null,
    request_id uuid        not null,
    at         timestamptz not null default now(),
    constraint separation_shadow_block_pk primary key (tenant_id, policy_id, request_id)
);
comment on table separation_shadow_block is
    'One access request that a separation-of-duties policy in shadow mode would have refused if it had been enforced. '
    'Rows are deleted after 90 days.';
call secure_tenant_table('separation_shadow_block', 'select, insert, delete');
create index separation_shadow_block_old on separation_shadow_block (tenant_id, at);

-- Violations, and the scans that find them.

create table violation (
    tenant_id       uuid        not null references tenant,
    id              uuid        not null,
    policy_id       uuid        not null,
    policy_version  int         not null,
    identity_id     uuid        not null,
    sides           text        not null default '',
    state           text        not null default 'open',
    severity        text        not null,
    grade           text        not null,
    conflict        jsonb       not null,
    entitlement_ids uuid[]      not null,
    fingerprint     text        not null,
    assignee_id     uuid,
    detected_by     text        not null,
    first_seen_at   timestamptz not null default now(),
    last_seen_at    timestamptz not null default now(),
    remediated_at   timestamptz,
    resolution      text,
    reopened_at     timestamptz,
    reopened_count  int         not null default 0,
    false_positive  jsonb,
    remediation     jsonb,
    automatic_revocation jsonb,
    revoked_automatically_at timestamptz,
    updated_at      timestamptz not null default now(),
    version         int         not null default 1,
    constraint violation_pk primary key (tenant_id, id),
    constraint violation_unique unique (tenant_id, identity_id, policy_id, sides),
    constraint violation_detected_by_known check (detected_by in ('change', 'scan')),
    constraint violation_grade_known check (grade in ('latent', 'potential', 'exercised_one', 'exercised_both', 'inside_role')),
    constraint violation_resolution_known check (resolution in ('access_removed', 'policy_changed')),
    constraint violation_severity_known check (severity in ('low', 'medium', 'high', 'critical')),
    constraint violation_state_known check (state in ('open', 'mitigated', 'false_positive', 'remediated'))
);
comment on table violation is
    'One violation of a separation-of-duties policy by one person. It is found again and again by evaluations, and '
    'keeps its row when it is remediated and comes back.';
comment on column violation.sides is
    'Of a policy of the kind matrix: the numbers of the two sides, such as 0-2. Empty for other kinds.';
comment on column violation.conflict is
    'Sides with the access that performs them, and the smallest cures, as the last evaluation found them.';
comment on column violation.entitlement_ids is 'Entitlements that perform the sides.';
comment on column violation.fingerprint is
    'Hash of what the last evaluation found. While it stays the same, the row is not written again.';
comment on column violation.assignee_id is 'Identity that takes care of the violation. Null: no one was assigned.';
comment on column violation.detected_by is
    'What found the violation first or again: change, the evaluation of a person whose access changed, or scan.';
comment on column violation.resolution is
    'Why an evaluation no longer found it: the access was removed, or the policy was changed, disabled or deleted. '
    'Null unless the state is remediated.';
comment on column violation.false_positive is
    'Reason, author and time of the mark, the version of the policy and the entitlements that it applies to. Null '
    'unless the state is false_positive.';
comment on column violation.remediation is
    'Last revocation that was ordered to end the violation. Null: none was ordered since it was found.';
comment on column violation.automatic_revocation is
    'What the policy did with the effect revoke_lower_risk: the outcome, the cause if access was not revoked, and the '
    'access. Null: nothing since the violation was found.';
comment on column violation.revoked_automatically_at is
    'When the policy revoked access without a decision. It does so once; later a decision is asked for. Null: never.';
call secure_tenant_table('violation');
create index violation_by_policy on violation (tenant_id, policy_id, state);
create index violation_unsettled on violation (tenant_id, identity_id) where state <> 'remediated';

create table separation_scan (
    tenant_id    uuid        not null references tenant,
    id           uuid        not null,
    state        text        not null,
    cause        text        not null,
    requested_by jsonb       not null default '{}',
    position     uuid,
    total        int         not null default 0,
    done         int         not null default 0,
    found        int         not null default 0,
    changed      int         not null default 0,
    remediated   int         not null default 0,
    requested_at timestamptz not null default now(),
    started_at   timestamptz,
    finished_at  timestamptz,
    completed_at     timestamptz,
    completed_people int     not null default 0,
    constraint separation_scan_pk primary key (tenant_id),
    constraint separation_scan_cause_known check (cause in ('request', 'change', 'night')),
    constraint separation_scan_state_known check (state in ('waiting', 'running', 'completed', 'cancelled'))
);
comment on table separation_scan is
    'The last or current scan of all people for violations of separation-of-duties policies. A scan continues after '
    'its position in the next transaction, whichever process runs it.';
comment on column separation_scan.position is 'Last identity that was evaluated. Null: none was yet.';
comment on column separation_scan.completed_at is
    'When a scan was last completed, also while the next one runs. Null: none was.';
comment on column separation_scan.completed_people is 'How many people the scan of completed_at evaluated.';
call secure_tenant_table('separation_scan');
call readable_across('separation_scan', 'tenant_id, state, started_at, finished_at');

create table separation_simulation (
    tenant_id            uuid        not null references tenant,
    id                   uuid        not null,
    state                text        not null,
    failure              text,
    policy_id            uuid,
    duty_id              uuid,
    unsaved_id           uuid,
    name                 text        not null,
    requested_by         jsonb       not null,
    policies_before      jsonb       not null,
    policies_after       jsonb       not null,
    duty_after           jsonb,
    position             uuid,
    total                int         not null default 0,
    done                 int         not null default 0,
    violations_new       int         not null default 0,
    violations_closed    int         not null default 0,
    violations_unchanged int         not null default 0,
    impact               jsonb,
    requested_at         timestamptz not null default now(),
    started_at           timestamptz,
    finished_at          timestamptz,
    constraint separation_simulation_pk primary key (tenant_id, id),
    constraint separation_simulation_ends check ((finished_at is not null) = (state in ('completed', 'cancelled', 'failed'))),
    constraint separation_simulation_failure_known check (failure in ('time_limit', 'definitions_changed')),
    constraint separation_simulation_failure_of_failed check ((failure is not null) = (state = 'failed')),
    constraint separation_simulation_state_known check (state in ('waiting', 'running', 'completed', 'cancelled', 'failed'))
);
comment on table separation_simulation is
    'One simulation of a change of a separation-of-duties policy or of a duty over all people. It continues after its '
    'position in the next transaction, whichever process runs it. Rows are deleted seven days after the end.';
comment on column separation_simulation.failure is
    'Why it failed: it took longer than an hour, or a duty was deleted or no longer fits the change. Null unless the '
    'state is failed.';
comment on column separation_simulation.unsaved_id is
    'ID that the simulation gives a policy that is not saved. Null: all policies are saved.';
comment on column separation_simulation.policies_before is
    'Policies that are evaluated before the change, as they were at the request.';
comment on column separation_simulation.policies_after is
    'Policies that are evaluated after the change, as they were at the request.';
comment on column separation_simulation.duty_after is 'Fields of the duty after the change. Null if no duty changes.';
comment on column separation_simulation.position is 'Last identity that was evaluated. Null: none was yet.';
comment on column separation_simulation.impact is 'Figures of the people evaluated so far. Null: none were yet.';
call secure_tenant_table('separation_simulation');
call readable_across('separation_simulation', 'tenant_id, state, finished_at');
create index separation_simulation_live on separation_simulation (tenant_id, state) where state in ('waiting', 'running');

create table separation_simulation_result (
    tenant_id     uuid  not null references tenant,
    id            uuid  not null,
    simulation_id uuid  not null,
    identity_id   uuid  not null,
    policy_id     uuid,
    policy        text  not null,
    change        text  not null,
    sides         jsonb not null,
    grade         text  not null,
    constraint separation_simulation_result_pk primary key (tenant_id, id),
    constraint separation_simulation_result_of foreign key (tenant_id, simulation_id)
        references separation_simulation (tenant_id, id) on delete cascade,
    constraint separation_simulation_result_change_known check (change in ('new', 'closed', 'unchanged')),
    constraint separation_simulation_result_grade_known check (grade in ('latent', 'potential', 'exercised_one', 'exercised_both', 'inside_role'))
);
comment on table separation_simulation_result is
    'One violation in the result of a simulation: caused by the change, ended by it, or there before and after it.';
comment on column separation_simulation_result.policy_id is 'Policy that is violated. Null if it is not saved.';
comment on column separation_simulation_result.policy is 'Name of the policy in the simulation.';
comment on column separation_simulation_result.sides is 'Labels of the sides that the person performs.';
call secure_tenant_table('separation_simulation_result', 'select, insert, delete');
create index separation_simulation_result_of on separation_simulation_result (tenant_id, simulation_id, change);

-- +goose StatementBegin
create function visible_violation() returns SETOF violation language sql stable parallel safe
as $$
    select v.*
      from managed_identity() m
      join violation v on v.identity_id = m.id
     union all
    select v.*
      from violation v
     where v.entitlement_ids && array(select o.id from owned_entitlement() o)
       and v.identity_id not in (select m.id from managed_identity() m)
$$;
-- +goose StatementEnd
comment on function visible_violation is
    'Returns the violations that the viewer may read: those of their reports, and those that an entitlement is part '
    'of that the viewer owns.';

-- +goose StatementBegin
create function separation_watches() returns boolean language plpgsql stable
as $$
begin
    return coalesce(current_setting('app.erasing', true), '') <> 'yes'
       and exists (select from separation_policy p
                    where p.tenant_id = current_tenant() and p.deleted_at is null and p.enabled and p.mode <> 'draft');
end $$;
-- +goose StatementEnd
comment on function separation_watches is
    'Returns whether the tenant has an enabled separation-of-duties policy that is no draft.';

-- +goose StatementBegin
create function separation_accounts_moved() returns trigger language plpgsql
    set enable_nestloop = off
as $$
begin
    if separation_watches() then
        insert into work_item (tenant_id, kind, subject)
        select distinct n.tenant_id, 'separation', p.identity_id
          from new_row n
          join old_row o on o.tenant_id = n.tenant_id and o.id = n.id and o.identity_id is distinct from n.identity_id
         cross join lateral (values (o.identity_id), (n.identity_id)) p (identity_id)
         where p.identity_id is not null;
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function separation_accounts_moved is
    'Trigger on account: queues the people before and after a change of owners for the evaluation of '
    'separation-of-duties policies.';

-- +goose StatementBegin
create function separation_grants_added() returns trigger language plpgsql
as $$
begin
    if separation_watches() then
        insert into work_item (tenant_id, kind, subject)
        select distinct a.tenant_id, 'separation', a.identity_id
          from new_row n
          join account a on a.tenant_id = n.tenant_id and a.id = n.account_id
         where a.identity_id is not null
           and holds_access(n.status);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function separation_grants_added is
    'Trigger on access_grant: queues the people with new grants for the evaluation of separation-of-duties policies.';

-- +goose StatementBegin
create function separation_grant_changed() returns trigger language plpgsql
as $$
begin
    if separation_watches() then
        insert into work_item (tenant_id, kind, subject)
        select a.tenant_id, 'separation', a.identity_id
          from account a
         where a.tenant_id = new.tenant_id
           and a.id = new.account_id
           and a.identity_id is not null;
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function separation_grant_changed is
    'Trigger on access_grant: queues the owner of the account for the evaluation of separation-of-duties policies.';

-- +goose StatementBegin
create function separation_reasons_added() returns trigger language plpgsql
as $$
begin
    if separation_watches() then
        insert into work_item (tenant_id, kind, subject)
        select distinct n.tenant_id, 'separation', n.identity_id
          from new_row n
         where n.entitlement_id is not null;
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function separation_reasons_added is
    'Trigger on access_reason: queues the people with new reasons for the evaluation of separation-of-duties policies.';

-- +goose StatementBegin
create function separation_reason_changed() returns trigger language plpgsql
as $$
begin
    if separation_watches() then
        perform enqueue_work('separation', array[old.identity_id, new.identity_id]);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function separation_reason_changed is
    'Trigger on access_reason: queues the person, before and after the change, for the evaluation of '
    'separation-of-duties policies.';

-- +goose StatementBegin
create function separation_request_changed() returns trigger language plpgsql
as $$
begin
    if separation_watches() then
        perform enqueue_work('separation', array[new.beneficiary_id]);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function separation_request_changed is
    'Trigger on access_request_item: queues the recipient for the evaluation of separation-of-duties policies.';

-- +goose StatementBegin
create function separation_exempts() returns boolean language plpgsql stable
as $$
begin
    return coalesce(current_setting('app.erasing', true), '') <> 'yes'
       and exists (select from separation_policy p
                    where p.tenant_id = current_tenant() and p.deleted_at is null and p.enabled and p.mode <> 'draft'
                      and p.exemptions is not null);
end $$;
-- +goose StatementEnd
comment on function separation_exempts is
    'Returns whether an enabled separation-of-duties policy that is no draft exempts people by a condition.';

-- +goose StatementBegin
create function separation_people_changed() returns trigger language plpgsql
    set enable_nestloop = off
as $$
begin
    if separation_exempts() then
        insert into work_item (tenant_id, kind, subject)
        select n.tenant_id, 'separation', n.id
          from new_row n
          join old_row o on o.tenant_id = n.tenant_id and o.id = n.id
         where to_jsonb(o) - '{version,updated_at,last_synced_at}'::text[]
               is distinct from to_jsonb(n) - '{version,updated_at,last_synced_at}'::text[];
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function separation_people_changed is
    'Trigger on identity: queues people whose record changed for the evaluation of separation-of-duties policies, if a '
    'policy exempts people by a condition.';

-- +goose StatementBegin
create function separation_rules_changed() returns trigger language plpgsql
as $$
begin
    perform enqueue_work('separation_scan', array['00000000-0000-0000-0000-000000000000'::uuid], 'change', 0,
                         interval '10 seconds');
    return null;
end $$;
-- +goose StatementEnd
comment on function separation_rules_changed is
    'Trigger on separation_change: queues a scan of all people a little later, so that several changes lead to one '
    'scan.';

-- +goose StatementBegin
create function violation_enters_inbox() returns trigger language plpgsql
as $$
begin
    perform enqueue_inbox('sod_violation', new.id);
    return null;
end $$;
-- +goose StatementEnd
comment on function violation_enters_inbox is
    'Trigger on violation: queues the violation for a decision task when it is found, changes or is settled. The task '
    'is created, brought up to date or closed accordingly.';

-- +goose StatementBegin
create function hold_enters_inbox() returns trigger language plpgsql
as $$
begin
    perform enqueue_inbox('provisioning_hold', new.id);
    perform enqueue_work('inbox_sod_violation', array(
        select v.id
          from violation v
         where v.identity_id = new.identity_id
           and v.state = 'open'
           and v.grade = 'latent'));
    return null;
end $$;
-- +goose StatementEnd
comment on function hold_enters_inbox is
    'Trigger on provisioning_task: queues a task for a decision task when a separation-of-duties policy holds it, and '
    'when the hold ends. Latent violations of the person are queued too: they need no decision task meanwhile.';

-- +goose StatementBegin
create function accepted_violation_reviews_tasks() returns trigger language plpgsql
as $$
begin
    if exists (select from provisioning_task t
                where t.tenant_id = new.tenant_id and t.identity_id = new.identity_id and t.held_at is not null
                  and t.state = 'blocked') then
        perform enqueue_work('separation', array[new.identity_id]);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function accepted_violation_reviews_tasks is
    'Trigger on violation: queues a person with held provisioning tasks for an evaluation when a violation is '
    'accepted or reopened.';

-- +goose StatementBegin
create function violation_is_revoked() returns trigger language plpgsql
as $$
begin
    if exists (select
                 from separation_policy p
                where p.tenant_id = new.tenant_id
                  and p.id = new.policy_id
                  and p.effects ->> 'on_detect' = 'revoke_lower_risk') then
        perform enqueue_work('separation_revocation', array[new.id]);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function violation_is_revoked is
    'Trigger on violation: queues an open violation of a policy that revokes the access with the lower risk.';

-- +goose StatementBegin
create function accepted_violation_is_asked() returns trigger language plpgsql
as $$
begin
    new.automatic_revocation = jsonb_build_object('outcome', 'asked', 'cause', 'accepted', 'detail', '',
                                                  'removed', '[]'::jsonb, 'at', now());
    return new;
end $$;
-- +goose StatementEnd
comment on function accepted_violation_is_asked is
    'Trigger on violation: one that people have accepted and that is open again is decided by people, and access is '
    'not revoked automatically.';

create trigger violation_is_revoked_first after insert on violation for each row
    when (new.state = 'open') execute function violation_is_revoked();
create trigger violation_is_revoked_again after update on violation for each row
    when (new.state = 'open' and (old.state <> 'open' or old.fingerprint <> new.fingerprint))
    execute function violation_is_revoked();
create trigger accepted_violation_is_asked before update on violation for each row
    when (new.state = 'open' and old.state in ('mitigated', 'false_positive'))
    execute function accepted_violation_is_asked();
create trigger hold_enters_inbox after update on provisioning_task for each row
    when (old.held_at is distinct from new.held_at
       or new.held_at is not null and old.state is distinct from new.state)
    execute function hold_enters_inbox();
create trigger accepted_violation_reviews_tasks after update on violation for each row
    when (old.state <> new.state) execute function accepted_violation_reviews_tasks();
create trigger violation_enters_inbox_again after update on violation
    for each row when (old.state <> new.state or old.fingerprint <> new.fingerprint
                       or old.assignee_id is distinct from new.assignee_id
                       or old.remediation is distinct from new.remediation
                       or old.automatic_revocation is distinct from new.automatic_revocation)
    execute function violation_enters_inbox();
create trigger violation_enters_inbox_first after insert on violation
    for each row execute function violation_enters_inbox();
create trigger separation_people_changed after update on identity referencing old table as old_row new table as new_row
    for each statement execute function separation_people_changed();
create trigger separation_accounts_moved after update on account referencing old table as old_row new table as new_row
    for each statement execute function separation_accounts_moved();
create trigger separation_grants_added after insert on access_grant referencing new table as new_row
    for each statement execute function separation_grants_added();
create trigger separation_grant_changed after update of status, directness on access_grant
    for each row when (holds_access(old.status) <> holds_access(new.status) or old.directness <> new.directness
                       or old.status = 'pending' and new.status <> 'pending')
    execute function separation_grant_changed();
create trigger separation_reasons_added after insert on access_reason referencing new table as new_row
    for each statement execute function separation_reasons_added();
create trigger separation_reason_changed after update on access_reason
    for each row when (old.state <> new.state or old.identity_id <> new.identity_id)
    execute function separation_reason_changed();
create trigger separation_request_added after insert on access_request_item
    for each row execute function separation_request_changed();
create trigger separation_request_changed after update of status, given on access_request_item
    for each row when (old.status <> new.status or old.given <> new.given) execute function separation_request_changed();
create trigger separation_rules_changed after insert on separation_change
    for each row execute function separation_rules_changed();

-- Mitigating controls, their applications, and the evidence that they operate.

create table mitigating_control (
    tenant_id         uuid        not null references tenant,
    id                uuid        not null,
    name              text        not null,
    description       text        not null default '',
    procedure         text        not null default '',
    control_type      text        not null default 'detective',
    effectiveness     text        not null default 'medium',
    control_owner_ids uuid[]      not null default '{}',
    approver_ids      uuid[]      not null default '{}',
    enabled           boolean     not null default true,
    applies_to        jsonb       not null default '{}',
    evidence          jsonb       not null default '{}',
    max_duration      text        not null,
    on_lapse          text        not null default 'reopen',
    origin            jsonb       not null default '{"kind": "manual"}',
    created_at        timestamptz not null default now(),
    updated_at        timestamptz not null default now(),
    deleted_at        timestamptz,
    version           int         not null default 1,
    constraint mitigating_control_pk primary key (tenant_id, id),
    constraint mitigating_control_effectiveness_known check (effectiveness in ('low', 'medium', 'high')),
    constraint mitigating_control_on_lapse_known check (on_lapse in ('reopen', 'revoke', 'escalate')),
    constraint mitigating_control_type_known check (control_type in ('preventive', 'detective', 'corrective'))
);
comment on table mitigating_control is
    'One policy of the kind mitigation: a compensating control that may be applied to violations for a limited time.';
comment on column mitigating_control.applies_to is
    'Separation-of-duties policies and severities that the control may be applied to. Empty lists mean all.';
comment on column mitigating_control.evidence is
    'Kind of evidence, how often it is due, how long it may be late, and the stored query of automatic evidence.';
comment on column mitigating_control.max_duration is 'Longest ISO 8601 duration of an application.';
comment on column mitigating_control.on_lapse is
    'What is done when an application lapses or expires: the violation is reopened, access is revoked as well, or the '
    'decision is escalated.';
call secure_tenant_table('mitigating_control');
create unique index mitigating_control_name_unique on mitigating_control (tenant_id, lower(name)) where deleted_at is null;

create table mitigating_control_version (
    tenant_id  uuid        not null references tenant,
    control_id uuid        not null,
    version    int         not null,
    content    jsonb       not null,
    changed_by jsonb       not null default '{}',
    changed_at timestamptz not null default now(),
    constraint mitigating_control_version_pk primary key (tenant_id, control_id, version)
);
comment on table mitigating_control_version is 'One version of a mitigating control, with its content at that time.';
call secure_tenant_table('mitigating_control_version', 'select, insert');

create table mitigation (
    tenant_id      uuid        not null references tenant,
    id             uuid        not null,
    control_id     uuid        not null,
    identity_id    uuid        not null,
    policy_id      uuid        not null,
    sides          text        not null default '',
    violation_id   uuid,
    request_id     uuid,
    state          text        not null default 'proposed',
    severity       text        not null,
    owner_id       uuid        not null,
    justification  text        not null,
    duration       text        not null,
    requested_by   jsonb       not null,
    requested_at   timestamptz not null default now(),
    decided_by     jsonb,
    decided_at     timestamptz,
    decided_reason text        not null default '',
    starts_at      timestamptz,
    ends_at        timestamptz,
    due_at         timestamptz,
    lapses_at      timestamptz,
    turn_at        timestamptz,
    reminded_at    timestamptz,
    end_told_at    timestamptz,
    end_agreed_at  timestamptz,
    ended_at       timestamptz,
    ended_reason   text,
    lapse_effect   text,
    renewal_of_id  uuid,
    updated_at     timestamptz not null default now(),
    version        int         not null default 1,
    constraint mitigation_pk primary key (tenant_id, id),
    constraint mitigation_control foreign key (tenant_id, control_id) references mitigating_control (tenant_id, id),
    constraint mitigation_lapse_effect_known check (lapse_effect in ('reopened', 'revoked', 'escalated')),
    constraint mitigation_severity_known check (severity in ('low', 'medium', 'high', 'critical')),
    constraint mitigation_state_known check (state in ('proposed', 'active', 'evidence_due', 'evidence_overdue', 'lapsed',
        'expired', 'withdrawn', 'refused', 'replaced', 'resolved'))
);
comment on table mitigation is
    'One application of a mitigating control to the violation of one policy by one person, or to a violation that a '
    'request would cause.';
comment on column mitigation.sides is
    'Of a violation of a policy of the kind matrix: the numbers of its two sides, as in violation. Empty: all '
    'violations of the policy by the person.';
comment on column mitigation.violation_id is 'Violation that it was applied to. Null: it was proposed by a request.';
comment on column mitigation.request_id is 'Access request that proposed it. Null: it was applied to a violation.';
comment on column mitigation.severity is
    'Severity of the violation when the control was applied. A higher one is not mitigated.';
comment on column mitigation.duration is 'ISO 8601 duration from the approval to the end.';
comment on column mitigation.due_at is 'When evidence is due next. Null: the control needs none, or it has ended.';
comment on column mitigation.lapses_at is 'When it lapses if evidence is not provided before. Null: see due_at.';
comment on column mitigation.turn_at is 'When its state changes next by time alone. Null: never.';
comment on column mitigation.reminded_at is 'When its owner was reminded of the evidence that is due next. Null: not yet.';
comment on column mitigation.end_told_at is 'When people were told that it ends soon. Null: not yet.';
comment on column mitigation.end_agreed_at is 'Time of the decision that it ends without a renewal. Null: there is none.';
comment on column mitigation.lapse_effect is
    'What was done about the violations when it lapsed or expired. Null: it has not, or another mitigation covers them.';
comment on column mitigation.renewal_of_id is 'Mitigation that it renews. Null: it renews none.';
call secure_tenant_table('mitigation');
call readable_across('mitigation', 'tenant_id, turn_at');
create index mitigation_by_control on mitigation (tenant_id, control_id);
create index mitigation_by_request on mitigation (tenant_id, request_id) where request_id is not null;
create index mitigation_by_person on mitigation (tenant_id, identity_id, policy_id);
create index mitigation_turn on mitigation (turn_at) where turn_at is not null;
create unique index mitigation_live_unique on mitigation (tenant_id, identity_id, policy_id, sides)
    where state in ('active', 'evidence_due', 'evidence_overdue');
create unique index mitigation_proposed_unique on mitigation (tenant_id, identity_id, policy_id, sides)
    where state = 'proposed';

create table mitigation_evidence (
    tenant_id     uuid        not null references tenant,
    id            uuid        not null,
    mitigation_id uuid        not null,
    due_at        timestamptz not null,
    kind          text        not null,
    text          text        not null default '',
    file_name     text,
    media_type    text,
    size          int,
    sha256        text,
    content       bytea,
    url           text,
    provided_by   jsonb       not null,
    provided_at   timestamptz not null,
    verdict       text        not null default 'pending',
    reviewed_by   jsonb,
    reviewed_at   timestamptz,
    comment       text        not null default '',
    result        jsonb,
    version       int         not null default 1,
    constraint mitigation_evidence_pk primary key (tenant_id, id),
    constraint mitigation_evidence_mitigation foreign key (tenant_id, mitigation_id)
        references mitigation (tenant_id, id) on delete cascade,
    constraint mitigation_evidence_kind_known check
        (kind in ('attestation', 'upload', 'link', 'report', 'automatic_query')),
    constraint mitigation_evidence_result_known check ((kind = 'automatic_query') = (result is not null)),
    constraint mitigation_evidence_verdict_known check (verdict in ('pending', 'accepted', 'rejected', 'unanswered'))
);
comment on table mitigation_evidence is 'One piece of evidence that a mitigating control was carried out.';
comment on column mitigation_evidence.due_at is 'When it was due, as the mitigation said.';
comment on column mitigation_evidence.result is
    'Answer to the stored query of the control, with its examples and sources. Null: the evidence is of another kind.';
comment on column mitigation_evidence.sha256 is
    'SHA-256 in hexadecimal, of the content of the file or of the result in canonical JSON. Null: there is neither.';
comment on column mitigation_evidence.url is 'Address of the evidence. Null: there is none.';
call secure_tenant_table('mitigation_evidence');
create index mitigation_evidence_by_mitigation on mitigation_evidence (tenant_id, mitigation_id);
create index mitigation_evidence_pending on mitigation_evidence (tenant_id, id) where verdict = 'pending';

-- +goose StatementBegin
create function mitigating(state text) returns boolean language sql immutable parallel safe
as $$
    select state in ('active', 'evidence_due', 'evidence_overdue')
$$;
-- +goose StatementEnd
comment on function mitigating is 'Returns whether a mitigation in this state mitigates its violation.';

-- +goose StatementBegin
create function mitigation_covering(identity uuid, policy uuid, sides text, severity text) returns uuid
    language sql stable parallel safe
as $$
    select m.id
      from mitigation m
     where m.tenant_id = current_tenant()
       and m.identity_id = identity
       and m.policy_id = policy
       and m.sides in ('', mitigation_covering.sides)
       and mitigating(m.state)
       and array_position(array['low', 'medium', 'high', 'critical'], m.severity)
           >= array_position(array['low', 'medium', 'high', 'critical'], mitigation_covering.severity)
     order by m.ends_at desc, m.id
     limit 1
$$;
-- +goose StatementEnd
comment on function mitigation_covering is
    'Returns the mitigation that covers the violation of a policy by a person: it is active, or waits for evidence, and was approved for at '
    'least this severity. Null: there is none.';

-- +goose StatementBegin
create function visible_mitigation() returns SETOF mitigation language sql stable parallel safe
as $$
    select g.*
      from managed_identity() m
      join mitigation g on g.identity_id = m.id
     union all
    select g.*
      from mitigation g
     where g.owner_id = viewer_identity()
       and g.identity_id not in (select m.id from managed_identity() m)
$$;
-- +goose StatementEnd
comment on function visible_mitigation is
    'Returns the mitigations that the viewer may read: those of their reports, and those whose controls they own.';

-- +goose StatementBegin
create function mitigation_enters_inbox() returns trigger language plpgsql
as $$
begin
    perform enqueue_inbox('mitigation_approval', new.id);
    perform enqueue_inbox('mitigation_evidence', new.id);
    perform enqueue_work('inbox_mitigation_end', array(
        select m.id
          from mitigation m
         where m.identity_id = new.identity_id
           and m.policy_id = new.policy_id
           and m.sides = new.sides
           and m.end_told_at is not null));
    perform enqueue_work('separation', array[new.identity_id]);
    perform enqueue_work('inbox_sod_violation', array(
        select v.id
          from violation v
         where v.identity_id = new.identity_id
           and v.policy_id = new.policy_id
           and v.state <> 'remediated'));
    perform enqueue_work('separation_revocation', array(
        select v.id
          from violation v
          join separation_policy p on p.id = v.policy_id and p.effects ->> 'on_detect' = 'revoke_lower_risk'
         where v.identity_id = new.identity_id
           and v.policy_id = new.policy_id
           and v.state = 'open'));
    return null;
end $$;
-- +goose StatementEnd
comment on function mitigation_enters_inbox is
    'Trigger on mitigation: queues it, and its violations, for decision tasks when it is proposed or its state changes, '
    'and the person for the evaluation of separation-of-duties policies.';

-- +goose StatementBegin
create function violation_settles_mitigations() returns trigger language plpgsql
as $$
begin
    perform enqueue_work('mitigation', array(
        select g.id
          from mitigation g
         where g.identity_id = new.identity_id
           and g.policy_id = new.policy_id
           and (g.state = 'proposed' or mitigating(g.state))));
    return null;
end $$;
-- +goose StatementEnd
comment on function violation_settles_mitigations is
    'Trigger on violation: queues its mitigations when it is remediated or reopened, so that they end with it.';

-- +goose StatementBegin
create function mitigation_evidence_enters_inbox() returns trigger language plpgsql
as $$
begin
    perform enqueue_inbox('mitigation_review', new.id);
    return null;
end $$;
-- +goose StatementEnd
comment on function mitigation_evidence_enters_inbox is
    'Trigger on mitigation_evidence: queues the evidence for the decision task of its review.';

-- +goose StatementBegin
create function request_settles_mitigations() returns trigger language plpgsql
as $$
begin
    perform enqueue_work('mitigation', array(
        select m.id from mitigation m where m.request_id = new.request_id and m.state = 'proposed'));
    return null;
end $$;
-- +goose StatementEnd
comment on function request_settles_mitigations is
    'Trigger on access_request_item: queues the mitigations that its request proposes when the item ends.';

create trigger mitigation_evidence_enters_inbox after insert or update of verdict on mitigation_evidence
    for each row execute function mitigation_evidence_enters_inbox();
create trigger mitigation_enters_inbox_again after update on mitigation
    for each row when (old.state <> new.state or old.due_at is distinct from new.due_at
                       or old.end_told_at is distinct from new.end_told_at
                       or old.end_agreed_at is distinct from new.end_agreed_at
                       or old.lapse_effect is distinct from new.lapse_effect)
    execute function mitigation_enters_inbox();
create trigger mitigation_enters_inbox_first after insert on mitigation
    for each row execute function mitigation_enters_inbox();
create trigger request_settles_mitigations after update of status on access_request_item
    for each row when (new.status <> old.status
                       and new.status in ('rejected', 'cancelled', 'expired', 'failed', 'closed'))
    execute function request_settles_mitigations();
create trigger violation_settles_mitigations after update on violation
    for each row when (new.state <> old.state and new.state in ('open', 'remediated'))
    execute function violation_settles_mitigations();

-- +goose StatementBegin
create function violations_are_notified() returns trigger language plpgsql
as $$
begin
    if not notifications_enabled() then
        return null;
    end if;
    with told as (
        insert into notification (tenant_id, kind, person_id, subject_type, subject_id)
        select distinct n.tenant_id, 'violation.found', o.person, 'violation', n.id
          from new_row n
          join separation_policy p
            on p.tenant_id = n.tenant_id
           and p.id = n.policy_id
           and p.mode <> 'enforce'
         cross join lateral unnest(case when n.assignee_id is null then p.owner_ids else array[n.assignee_id] end) o (person)
         where n.state = 'open'
        returning person_id)
    insert into work_item (tenant_id, kind, subject)
    select distinct current_tenant(), 'notifications', person_id
      from told;
    return null;
end $$;
-- +goose StatementEnd
comment on function violations_are_notified is
    'Trigger on violation: writes notifications of the owners of new violations. Those of enforced policies are '
    'decision tasks, whose assignees are notified.';
create trigger violations_are_notified after insert on violation referencing new table as new_row
    for each statement execute function violations_are_notified();

-- +goose StatementBegin
create function violation_is_notified() returns trigger language plpgsql
as $$
begin
    perform notify_people('violation.found',
                          case when new.assignee_id is null then p.owner_ids else array[new.assignee_id] end,
                          'violation', new.id)
       from separation_policy p
      where p.tenant_id = new.tenant_id
        and p.id = new.policy_id
        and p.mode <> 'enforce';
    return null;
end $$;
-- +goose StatementEnd
comment on function violation_is_notified is
    'Trigger on violation: writes notifications when a violation opens again, or is assigned.';
create trigger violation_is_notified after update on violation for each row
    when (new.state = 'open' and (old.state <> 'open' or new.assignee_id is distinct from old.assignee_id))
    execute function violation_is_notified();

-- +goose StatementBegin
create function mitigation_is_notified() returns trigger language plpgsql
as $$
begin
    perform notify_people('mitigation.lapsed',
                          array(select distinct o
                                  from separation_policy p
                                 cross join unnest(p.owner_ids || new.owner_id) o
                                 where p.tenant_id = new.tenant_id
                                   and p.id = new.policy_id), 'mitigation', new.id);
    return null;
end $$;
-- +goose StatementEnd
comment on function mitigation_is_notified is
    'Trigger on mitigation: writes notifications of its owner and the owners of the policy when it lapses or expires.';
create trigger mitigation_is_notified after update on mitigation for each row
    when (new.state in ('lapsed', 'expired') and old.state <> new.state) execute function mitigation_is_notified();

-- Exceptions: access that violates a policy and that the approvers of the exception rule have allowed.

create table separation_exception (
    tenant_id       uuid        not null references tenant,
    id              uuid        not null,
    item_id         uuid        not null,
    identity_id     uuid        not null,
    policy_id       uuid        not null,
    policy_version  int         not null,
    sides           text        not null default '',
    severity        text        not null,
    entitlement_ids uuid[]      not null,
    rule_id         uuid        not null,
    rule_name       text        not null,
    approved_by     jsonb       not null,
    approved_at     timestamptz not null default now(),
    constraint separation_exception_pk primary key (tenant_id, id),
    constraint separation_exception_item foreign key (tenant_id, item_id) references access_request_item (tenant_id, id) on delete cascade,
    constraint separation_exception_unique unique (tenant_id, item_id, policy_id, sides),
    constraint separation_exception_severity_known check (severity in ('low', 'medium', 'high', 'critical'))
);
comment on table separation_exception is
    'One violation that the approvers of an exception rule have allowed with an item of an access request. It lasts as '
    'long as the access of the item.';
comment on column separation_exception.item_id is 'Item of the access request whose access was allowed.';
comment on column separation_exception.policy_version is 'Version of the policy when the exception was approved.';
comment on column separation_exception.sides is
    'Of a policy of the kind matrix: the numbers of the two sides, as in violation. Empty for other kinds.';
comment on column separation_exception.severity is
    'Severity of the policy when the exception was approved. A higher one is not covered.';
comment on column separation_exception.entitlement_ids is
    'Entitlements that performed the sides when the exception was approved. More access on a side is not covered.';
comment on column separation_exception.rule_id is 'Approval rule whose approvers allowed the exception.';
comment on column separation_exception.rule_name is 'Name of the approval rule when the exception was approved.';
comment on column separation_exception.approved_by is 'Who approved in the stages of the exception rule.';
call secure_tenant_table('separation_exception');
create index separation_exception_by_person on separation_exception (tenant_id, identity_id, policy_id);

-- +goose StatementBegin
create function exception_lasts(given boolean, status text) returns boolean language sql immutable parallel safe
as $$
    select given and status in ('approved', 'scheduled', 'provisioning', 'fulfilled', 'failed')
$$;
-- +goose StatementEnd
comment on function exception_lasts is
    'Returns whether the exceptions of a request item last: its access was ordered and has not ended.';

-- +goose StatementBegin
create function exception_covering(identity uuid, policy uuid, sides text, severity text, entitlements uuid[])
    returns uuid language sql stable parallel safe
as $$
    select e.id
      from separation_exception e
      join access_request_item i on i.tenant_id = e.tenant_id and i.id = e.item_id
     where e.tenant_id = current_tenant()
       and e.identity_id = identity
       and e.policy_id = policy
       and e.sides = exception_covering.sides
       and e.entitlement_ids @> entitlements
       and array_position(array['low', 'medium', 'high', 'critical'], e.severity)
           >= array_position(array['low', 'medium', 'high', 'critical'], exception_covering.severity)
       and exception_lasts(i.given, i.status)
     order by e.id desc
     limit 1
$$;
-- +goose StatementEnd
comment on function exception_covering is
    'Returns the exception that covers the violation of a policy by a person: its access lasts, and it was approved for '
    'at least this severity and this access. Null: there is none.';

-- +goose StatementBegin
create function exception_changes_violation() returns trigger language plpgsql
as $$
begin
    perform enqueue_work('inbox_sod_violation', array(
        select v.id
          from violation v
         where v.identity_id = new.identity_id
           and v.policy_id = new.policy_id
           and v.state <> 'remediated'));
    return null;
end $$;
-- +goose StatementEnd
comment on function exception_changes_violation is
    'Trigger on separation_exception: queues its violation, which needs no decision task while the exception lasts.';
create trigger exception_changes_violation after insert or update on separation_exception
    for each row execute function exception_changes_violation();

-- +goose StatementBegin
create function item_ends_exceptions() returns trigger language plpgsql
as $$
declare
    violations uuid[] := array(
        select v.id
          from separation_exception e
          join violation v on v.identity_id = e.identity_id and v.policy_id = e.policy_id
         where e.item_id = new.id
           and v.state = 'open');
begin
    perform enqueue_work('inbox_sod_violation', violations);
    perform enqueue_work('separation_revocation', array(
        select v.id
          from violation v
          join separation_policy p on p.id = v.policy_id and p.effects ->> 'on_detect' = 'revoke_lower_risk'
         where v.id = any(violations)));
    return null;
end $$;
-- +goose StatementEnd
comment on function item_ends_exceptions is
    'Trigger on access_request_item: queues the violations that its exceptions covered when its access ends.';
create trigger item_ends_exceptions after update of status, given on access_request_item
    for each row when (exception_lasts(old.given, old.status) and not exception_lasts(new.given, new.status))
    execute function item_ends_exceptions();

-- +goose Up

-- Access policies, roles and sector packs.

-- Functions are created before the tables that they read.
set local check_function_bodies = off;

create table role (
    tenant_id             uuid        not null references tenant,
    id                    uuid        not null,
    key                   text        not null,
    name                  text        not null,
    description           text        not null default '',
    role_type             text        not null default 'business',
    lifecycle             text        not null default 'active',
    owner_ids             uuid[]      not null default '{}',
    origin                jsonb       not null default '{"kind": "manual"}',
    labels                jsonb       not null default '{}',
    created_at            timestamptz not null default now(),
    updated_at            timestamptz not null default now(),
    version               int         not null default 1,
    backup_owner_ids      uuid[]      not null default '{}',
    membership_rule       jsonb,
    membership_exclusions jsonb       not null default '[]',
    requestable           boolean     not null default false,
    visible_to            jsonb,
    parameters            jsonb       not null default '[]',
    max_duration          text,
    default_duration      text,
    approval_rule_id      uuid,
    risk_level            text,
    compliance_tags       text[]      not null default '{}',
    duty_tags             text[]      not null default '{}',
    managed_by            text        not null default 'ui',
    rule_needs            text[]      not null default '{}',
    rule_since            timestamptz not null default now(),
    constraint role_pk primary key (tenant_id, id),
    constraint role_key_unique unique (tenant_id, key),
    constraint role_lifecycle_known check (lifecycle in ('draft', 'proposed', 'active', 'deprecated', 'retired')),
    constraint role_managed_by_known check (managed_by in ('ui', 'code', 'pack')),
    constraint role_risk_known check (risk_level in ('low', 'medium', 'high', 'critical')),
    constraint role_type_known check (role_type in ('birthright', 'business', 'application', 'emergency', 'technical'))
);
comment on table role is
    'One role: a named set of entitlements and other roles, across any number of target systems. It exists only '
    'in the tenant.';
comment on column role.membership_rule is
    'Condition for the people who have the role by rule. Null means that the role has no rule.';
comment on column role.risk_level is
    'Risk level that a person set. Null means the highest risk level of the role''s contents; see role_risk().';
comment on column role.rule_needs is
    'Data that the membership rule uses in addition to the person''s own fields: managers, access or clock.';
comment on column role.rule_since is
    'When the membership rule last changed. Access that a person revoked after this time is not assigned again by '
    'the rule.';
call secure_tenant_table('role');
create index role_by_rule on role (tenant_id) where membership_rule is not null;

create table role_entitlement (
    tenant_id      uuid not null references tenant,
    role_id        uuid not null,
    entitlement_id uuid not null,
    constraint role_entitlement_pk primary key (tenant_id, role_id, entitlement_id),
    constraint role_entitlement_entitlement foreign key (tenant_id, entitlement_id) references entitlement (tenant_id, id) on delete cascade,
    constraint role_entitlement_role foreign key (tenant_id, role_id) references role (tenant_id, id) on delete cascade
);
comment on table role_entitlement is 'One entitlement in a role.';
call secure_tenant_table('role_entitlement');
create index role_entitlement_by_entitlement on role_entitlement (tenant_id, entitlement_id);

create table access_policy (
    tenant_id      uuid        not null references tenant,
    id             uuid        not null,
    name           text        not null,
    description    text        not null default '',
    enabled        boolean     not null default true,
    mode           text        not null default 'shadow',
    effect         text        not null default 'assign',
    birthright     boolean     not null default false,
    priority       int         not null default 100,
    owner_ids      uuid[]      not null default '{}',
    subject        jsonb       not null,
    resources      jsonb       not null default '{}',
    companion      jsonb,
    lifecycle      jsonb       not null default '{}',
    constraints    jsonb       not null default '{}',
    schedule       jsonb,
    breaker        jsonb,
    tripped_at     timestamptz,
    origin         jsonb       not null default '{"kind": "manual"}',
    stats          jsonb       not null default '{}',
    evaluated_at   timestamptz,
    created_at     timestamptz not null default now(),
    updated_at     timestamptz not null default now(),
    deleted_at     timestamptz,
    version        int         not null default 1,
    needs          text[]      not null default '{}',
    allowance      int         not null default 0,
    accepted_at    timestamptz,
    breaker_reason text,
    decision_table jsonb,
    constraint access_policy_pk primary key (tenant_id, id),
    constraint access_policy_effect_known check (effect in ('assign', 'deny', 'eligible', 'require')),
    constraint access_policy_mode_known check (mode in ('shadow', 'enforce')),
    constraint access_policy_table_assigns check (decision_table is null or effect = 'assign')
);
comment on table access_policy is
    'One access policy: a rule that assigns or denies access to the people who meet a condition, or lets them '
    'request it. A rule can also say what people must have. Enabled policies are evaluated whenever an identity is created or changes. The '
    'column birthright marks baseline access and sets the kind of the reasons.';
comment on column access_policy.tripped_at is
    'When the policy exceeded the limit of its circuit breaker. Until a person accepts the changes, none of them '
    'is applied. Null while the breaker is closed.';
comment on column access_policy.companion is
    'Roles and entitlements that people must have, of a policy with the effect require. Null means none.';
comment on column access_policy.needs is
    'Data that the policy uses in addition to the person''s own fields: managers, access or clock for the condition, '
    'and holdings, what people hold, for the effect require.';
comment on column access_policy.allowance is
    'Number of additional changes that a person accepted beyond the circuit breaker''s limit. It applies for one '
    'breaker window from accepted_at.';
comment on column access_policy.schedule is
    'Period and weekly windows in which the policy applies, in the tenant''s time zone. Null means at all times.';
comment on column access_policy.decision_table is
    'Hit policy, columns and rows of a decision table. The columns are fields of a person; each row has a cell for each '
    'column and the roles and entitlements that it assigns. The column resources has those of all rows. Null for a '
    'policy with a single condition.';
call secure_tenant_table('access_policy');
create index access_policy_eligible on access_policy (tenant_id, priority, id) where effect = 'eligible' and enabled and mode = 'enforce' and deleted_at is null;
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
comment on table access_policy_version is
    'One version of an access policy, with its content at that time. Reasons refer to these versions.';
call secure_tenant_table('access_policy_version', 'select, insert');

create table access_policy_change (
    tenant_id uuid        not null references tenant,
    policy_id uuid        not null,
    at        timestamptz not null default now(),
    changes   int         not null,
    id        bigint      not null generated always as identity,
    constraint access_policy_change_pk primary key (tenant_id, policy_id, at, id)
);
comment on table access_policy_change is
    'Number of reasons that a policy with a circuit breaker added and ended in one evaluation. Rows older than 31 '
    'days are deleted, because a breaker window lasts at most 30 days.';
call secure_tenant_table('access_policy_change', 'select, insert, delete');

create table requirement_gap (
    tenant_id      uuid        not null references tenant,
    id             uuid        not null,
    policy_id      uuid        not null,
    policy_version int         not null,
    identity_id    uuid        not null,
    state          text        not null default 'open',
    missing        jsonb       not null,
    opened_at      timestamptz not null default now(),
    reopened_at    timestamptz,
    closed_at      timestamptz,
    resolution     text,
    exemption      jsonb,
    exempt_until   timestamptz,
    updated_at     timestamptz not null default now(),
    version        int         not null default 1,
    constraint requirement_gap_pk primary key (tenant_id, id),
    constraint requirement_gap_unique unique (tenant_id, identity_id, policy_id),
    constraint requirement_gap_resolution_known check (resolution in ('satisfied', 'not_required')),
    constraint requirement_gap_state_known check (state in ('open', 'exempted', 'closed'))
);
comment on table requirement_gap is
    'What one person lacks that one access policy with the effect require says they must have. The row remains when '
    'the gap is closed, and is opened again when the person lacks something again.';
comment on column requirement_gap.missing is
    'Roles, entitlements, training and manager that are missing, with their names. Of an exempted gap: what the '
    'exemption is for. Of a closed gap: what was missing last.';
comment on column requirement_gap.resolution is
    'satisfied: the person has everything. not_required: the policy no longer applies to them. Null unless closed.';
comment on column requirement_gap.exemption is
    'Reason, author and end of the exemption. Null unless the state is exempted.';
call secure_tenant_table('requirement_gap');
call readable_across('requirement_gap', 'tenant_id, state, exempt_until');
create index requirement_gap_by_policy on requirement_gap (tenant_id, policy_id, state);
create index requirement_gap_exempted on requirement_gap (exempt_until) where state = 'exempted';

-- +goose StatementBegin
create function visible_requirement_gap() returns SETOF requirement_gap language sql stable parallel safe
as $$
    select g.*
      from managed_identity() m
      join requirement_gap g on g.identity_id = m.id
$$;
-- +goose StatementEnd
comment on function visible_requirement_gap is
    'Returns the requirement gaps that the viewer may read: those of their reports.';

create table policy_review (
    tenant_id      uuid        not null references tenant,
    id             uuid        not null,
    policy_id      uuid        not null,
    policy_version int         not null,
    identity_id    uuid        not null,
    state          text        not null default 'open',
    reason_ids     uuid[]      not null default '{}',
    decision       jsonb,
    opened_at      timestamptz not null default now(),
    updated_at     timestamptz not null default now(),
    constraint policy_review_pk primary key (tenant_id, id),
    constraint policy_review_unique unique (tenant_id, identity_id, policy_id),
    constraint policy_review_state_known check (state in ('open', 'kept', 'closed'))
);
comment on table policy_review is
    'Access of one person by one access policy with on_no_match review that the policy no longer gives them. It stays '
    'until a decision.';
comment on column policy_review.reason_ids is 'Reasons that wait for the decision. Empty unless the state is open.';
comment on column policy_review.decision is
    'Last decision, with its reason, author and time, and the time until which the access is kept. Null: none.';
call secure_tenant_table('policy_review');

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
comment on table policy_walk is 'Progress of the policy evaluation for all people in a tenant.';
comment on column policy_walk.fresh_until is
    'When time alone may change the result: the end of the tenant''s day, or the next start or end in the schedule '
    'of a policy. If policies use relative dates, all people are evaluated once a day. Null before the first evaluation.';
call secure_tenant_table('policy_walk', 'select, insert, update');
call readable_across('policy_walk', 'tenant_id, fresh_until, started_at, finished_at');

create table sector_pack_installation (
    tenant_id        uuid        not null references tenant,
    id               uuid        not null,
    pack_key         text        not null,
    pack_version     text        not null,
    state            text        not null default 'installed',
    parameters       jsonb       not null default '{}',
    previous_version text,
    installed_by     jsonb       not null default '{}',
    installed_at     timestamptz not null default now(),
    updated_at       timestamptz not null default now(),
    version          int         not null default 1,
    checksum         text        not null default '',
    source           text        not null default 'built_in',
    uninstall_mode   text,
    pending          boolean     not null default false,
    looked_at        timestamptz not null default now(),
    constraint sector_pack_installation_pk primary key (tenant_id, id),
    constraint sector_pack_installation_unique unique (tenant_id, pack_key),
    constraint sector_pack_installation_mode_known check (uninstall_mode in ('detach', 'remove_unused', 'remove_all')),
    constraint sector_pack_installation_source_known check (source in ('built_in', 'uploaded')),
    constraint sector_pack_installation_state_known check (state in ('installed', 'uninstalled'))
);
comment on table sector_pack_installation is 'One sector pack that is or was installed in the tenant.';
comment on column sector_pack_installation.state is
    'installed or uninstalled. The row remains after the pack is uninstalled, to show what it left behind and '
    'how.';
comment on column sector_pack_installation.pending is
    'True if a selector of the pack has not found its objects yet, or a role is waiting for its last member to '
    'leave.';
comment on column sector_pack_installation.looked_at is 'When the pending parts of the installation were last checked.';
call secure_tenant_table('sector_pack_installation');
call readable_across('sector_pack_installation', 'tenant_id, id, pending, looked_at');
create index sector_pack_installation_pending on sector_pack_installation (looked_at) where pending;

create table sector_pack_object (
    tenant_id       uuid    not null references tenant,
    installation_id uuid    not null,
    kind            text    not null,
    object_key      text    not null,
    object_id       uuid,
    content         jsonb   not null,
    state           text    not null default 'installed',
    applied         jsonb,
    pending         jsonb   not null default '[]',
    adopted         boolean not null default false,
    reason          text,
    constraint sector_pack_object_pk primary key (tenant_id, installation_id, kind, object_key),
    constraint sector_pack_object_installation foreign key (tenant_id, installation_id) references sector_pack_installation (tenant_id, id) on delete cascade,
    constraint sector_pack_object_state_known check (state in ('installed', 'pending_binding', 'conflict', 'skipped', 'leaving'))
);
comment on table sector_pack_object is
    'One object of an installed pack, as the pack defines it. It is the common ancestor when a new version is '
    'merged with the tenant''s changes.';
comment on column sector_pack_object.content is 'Definition in the pack, with the tenant''s parameters inserted.';
comment on column sector_pack_object.state is
    'installed, pending_binding, conflict, skipped or leaving. A leaving role is retired when the last access '
    'through it ends.';
comment on column sector_pack_object.applied is
    'Field values that the pack wrote to the tenant''s object. They are the common ancestor of the tenant''s '
    'changes and the next version. Null if none were written.';
comment on column sector_pack_object.pending is 'Selectors that have not found any object yet.';
comment on column sector_pack_object.adopted is
    'True if the object existed in the tenant before the pack. It is not removed with the pack.';
call secure_tenant_table('sector_pack_object');

create table sector_pack_conflict (
    tenant_id       uuid        not null references tenant,
    id              uuid        not null,
    installation_id uuid        not null,
    kind            text        not null,
    object_key      text        not null,
    fields          text[]      not null,
    base            jsonb,
    mine            jsonb       not null,
    theirs          jsonb,
    state           text        not null default 'open',
    resolution      text,
    resolved_by     jsonb,
    resolved_at     timestamptz,
    created_at      timestamptz not null default now(),
    version         int         not null default 1,
    constraint sector_pack_conflict_pk primary key (tenant_id, id),
    constraint sector_pack_conflict_installation foreign key (tenant_id, installation_id) references sector_pack_installation (tenant_id, id) on delete cascade,
    constraint sector_pack_conflict_resolution_known check (resolution in ('mine', 'theirs', 'merged')),
    constraint sector_pack_conflict_state_known check (state in ('open', 'resolved', 'superseded'))
);
comment on table sector_pack_conflict is
    'One object for which a sector pack and the tenant have conflicting changes. The tenant''s version applies '
    'until a person decides.';
call secure_tenant_table('sector_pack_conflict');
create index sector_pack_conflict_by_installation on sector_pack_conflict (tenant_id, installation_id, id);
create unique index sector_pack_conflict_one_open on sector_pack_conflict (tenant_id, installation_id, kind, object_key) where state = 'open';

create table sector_pack_upload (
    tenant_id    uuid        not null references tenant,
    pack_key     text        not null,
    pack_version text        not null,
    checksum     text        not null,
    key_id       text,
    entry        jsonb       not null,
    archive      bytea       not null,
    uploaded_by  jsonb       not null default '{}',
    uploaded_at  timestamptz not null default now(),
    constraint sector_pack_upload_pk primary key (tenant_id, pack_key, pack_version)
);
comment on table sector_pack_upload is
    'One sector pack that a tenant uploaded. The column key_id is the trusted key that signed it. Null means that '
    'the pack is unsigned and that the operator allows this.';
call secure_tenant_table('sector_pack_upload');

create table role_child (
    tenant_id uuid not null references tenant,
    role_id   uuid not null,
    child_id  uuid not null,
    constraint role_child_pk primary key (tenant_id, role_id, child_id),
    constraint role_child_child foreign key (tenant_id, child_id) references role (tenant_id, id) on delete cascade,
    constraint role_child_role foreign key (tenant_id, role_id) references role (tenant_id, id) on delete cascade
);
comment on table role_child is
    'One nesting of roles: people with role_id also have the contents of child_id. The application prevents '
    'cycles and more than five levels.';
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
comment on table role_assignment is
    'One assignment of a role to a person by a decision, not by the membership rule. Rows are never deleted. Its '
    'reasons have the assignment''s ID as source_id.';
call secure_tenant_table('role_assignment', 'select, insert, update');
call readable_across('role_assignment', 'tenant_id, state, starts_at, ends_at');
create unique index role_assignment_by_hand on role_assignment (tenant_id, role_id, identity_id) where kind = 'manual' and state <> 'ended';
create index role_assignment_by_identity on role_assignment (tenant_id, identity_id) where state <> 'ended';
create index role_assignment_by_role on role_assignment (tenant_id, role_id) where state <> 'ended';
create index role_assignment_to_end on role_assignment (tenant_id, ends_at) where state <> 'ended' and ends_at is not null;
create index role_assignment_to_start on role_assignment (tenant_id, starts_at) where state = 'scheduled';

create table role_version (
    tenant_id  uuid        not null references tenant,
    role_id    uuid        not null,
    version    int         not null,
    content    jsonb       not null,
    changed_by jsonb       not null default '{}',
    changed_at timestamptz not null default now(),
    constraint role_version_pk primary key (tenant_id, role_id, version)
);
comment on table role_version is 'One version of a role, with its content at that time.';
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
comment on table role_draft is 'Working copy of a role in use, until it is published or discarded.';
comment on column role_draft.base_version is 'Version of the role that the draft is based on.';
call secure_tenant_table('role_draft');

-- +goose StatementBegin
create function approvers_without_sign_in() returns table (id uuid) language sql stable
as $$
    with asked (id) as (
        select i.manager_id
          from identity i
         where i.tenant_id = current_tenant()
           and i.manager_id is not null
           and i.status not in ('deactivated', 'archived')
         union
        select unnest(e.owner_ids)
          from entitlement e
         where e.tenant_id = current_tenant()
           and e.removed_at is null
           and e.owner_ids <> '{}'
         union
        select unnest(r.owner_ids)
          from role r
         where r.tenant_id = current_tenant()
           and r.lifecycle in ('active', 'deprecated')
           and r.owner_ids <> '{}'
    ), admitting as materialized (
        select p.domains, p.create_users
          from identity_provider p
         where p.tenant_id = current_tenant()
           and p.enabled
    )
    select i.id
      from asked a
      join identity i on i.tenant_id = current_tenant() and i.id = a.id
      left join app_user u on u.tenant_id = i.tenant_id and u.identity_id = i.id and u.deleted_at is null
      left join app_user x on x.tenant_id = i.tenant_id and x.email_lc = i.email_lc and u.id is null
     where i.kind = 'human'
       and i.status not in ('deactivated', 'archived', 'pre_hire')
       and u.status is distinct from 'active'
       and (u.status = 'disabled'
            or x.id is not null
            or not exists (select from admitting p
                            where (p.create_users
                                   or u.id is not null
                                   or exists (select from sign_in_grant g
                                                join sign_in_rule r on r.tenant_id = g.tenant_id and r.id = g.rule_id and r.enabled
                                               where g.tenant_id = i.tenant_id
                                                 and g.identity_id = i.id))
                              and position('@' in coalesce(u.email, i.email, '')) > 0
                              and (p.domains = '{}' or split_part(lower(coalesce(u.email, i.email)), '@', 2) = any(p.domains))))
$$;
-- +goose StatementEnd
comment on function approvers_without_sign_in is
    'Returns the managers and owners of access who cannot sign in. They are asked for decisions, '
    'and count as absent. The reasons are those of unable_to_decide() that concern their user.';

-- +goose StatementBegin
create function policies_ask(need text) returns boolean language sql stable
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
-- +goose StatementEnd
comment on function policies_ask is
    'Returns whether an enabled policy or a role''s membership rule in the tenant uses this kind of data. With a '
    'null argument, it returns whether there is any such policy or rule.';

-- +goose StatementBegin
create function identity_enqueues_policies() returns trigger language plpgsql
    set enable_nestloop = off
as $$
declare
    asked boolean := policies_ask(null);
begin
    if tg_op = 'INSERT' then
        insert into work_item (tenant_id, kind, subject, priority)
        select n.tenant_id, 'policy', n.id, n.urgent::int
          from new_row n
         where asked or n.status in ('deactivated', 'archived');
    else
        insert into work_item (tenant_id, kind, subject, priority, cause)
        select n.tenant_id, 'policy', n.id, n.urgent::int, case when asked and o.manager_id is distinct from n.manager_id then 'manager' else '' end
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
    return null;
end $$;
-- +goose StatementEnd
comment on function identity_enqueues_policies is
    'Trigger on identity: queues people for policy evaluation after they were added, or changed in a field that '
    'policies can use. Without policies, only departures and changes of status or urgency are queued. A repeated '
    'sync without changes is not queued.';

-- +goose StatementBegin
create function access_enqueues_policies() returns trigger language plpgsql
as $$
begin
    if policies_ask('access') then
        perform enqueue_work('policy', array[new.identity_id]);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function access_enqueues_policies is
    'Trigger on access_reason: queues the person for policy evaluation after a reason was added or changed state, '
    'unless a policy or role created it. It has an effect only if a policy or membership rule uses access.';

-- +goose StatementBegin
create function lifecycle_enqueues_policies() returns trigger language plpgsql
as $$
begin
    if policies_ask(null) then
        perform enqueue_work('policy_sweep', array['00000000-0000-0000-0000-000000000000'::uuid], 'the lifecycle settings changed');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function lifecycle_enqueues_policies is
    'Trigger on lifecycle_policy: queues all people for policy evaluation after lead times, grace periods or the '
    'time zone changed.';

-- +goose StatementBegin
create function roles_within(roles uuid[]) returns TABLE(role_id uuid, part_id uuid) language sql stable parallel safe
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
comment on function roles_within is
    'Returns each of these roles with all roles nested in it, including the role. Draft, proposed and retired '
    'roles provide no access and are excluded with their contents.';

-- +goose StatementBegin
create function roles_around(parts uuid[]) returns SETOF uuid language sql stable parallel safe
as $$
    with recursive around (id) as (
        select p from unnest(parts) p
         union
        select c.role_id from around a join role_child c on c.child_id = a.id
    )
    select id from around
$$;
-- +goose StatementEnd
comment on function roles_around is 'Returns these roles and all roles that contain them, directly or indirectly.';

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
comment on function role_risk is
    'Returns the highest risk level of a role''s entitlements and nested roles, regardless of the role''s own risk '
    'level. Retired nested roles are excluded.';

-- +goose StatementBegin
create function roles_enqueue_policies(changed uuid[], why text) returns void language plpgsql
as $$
declare
    around uuid[] := array(select roles_around(changed));
begin
    if exists (select from access_policy p
                where p.tenant_id = current_tenant() and p.deleted_at is null and p.enabled
                  and (p.resources -> 'role_ids' ?| around::text[] or p.companion -> 'role_ids' ?| around::text[]))
       or exists (select from role r where r.tenant_id = current_tenant() and r.id = any (around) and r.membership_rule is not null) then
        perform enqueue_work('policy_sweep', array['00000000-0000-0000-0000-000000000000'::uuid], why);
    end if;
    insert into work_item (tenant_id, kind, subject)
    select distinct current_tenant(), 'policy', a.identity_id
      from role_assignment a
     where a.tenant_id = current_tenant()
       and a.role_id = any (around)
       and a.state <> 'ended';
end $$;
-- +goose StatementEnd
comment on function roles_enqueue_policies is
    'Queues all people for policy evaluation if a policy or membership rule assigns one of these roles, or a role '
    'that contains one. It always queues the people with an assignment of such a role.';

-- +goose StatementBegin
create function role_contents_enqueue_policies() returns trigger language plpgsql
as $$
declare
    changed uuid[] := array(select distinct role_id from changed_row);
begin
    if cardinality(changed) > 0 then
        perform roles_enqueue_policies(changed, 'the contents of a role changed');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function role_contents_enqueue_policies is
    'Trigger on role_entitlement and role_child: calls roles_enqueue_policies() once per statement for the roles whose '
    'contents changed.';

-- +goose StatementBegin
create function role_enqueues_policies() returns trigger language plpgsql
as $$
begin
    perform roles_enqueue_policies(array[new.id], 'a role was activated or retired');
    if tg_op = 'UPDATE' and old.membership_rule is not null and new.membership_rule is null then
        perform enqueue_work('policy_sweep', array['00000000-0000-0000-0000-000000000000'::uuid], 'a membership rule was removed');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function role_enqueues_policies is
    'Trigger on role: calls roles_enqueue_policies() when the membership rule, the exclusions or the lifecycle of a role '
    'changes. If the rule was removed, it queues all people for policy evaluation.';

-- +goose StatementBegin
create function entitlement_enqueues_policies() returns trigger language plpgsql
as $$
declare
    holding uuid[] := array(select x.role_id from role_entitlement x where x.tenant_id = new.tenant_id and x.entitlement_id = new.id);
begin
    if exists (select from access_policy p
                where p.tenant_id = new.tenant_id and p.deleted_at is null and p.enabled
                  and (p.resources -> 'entitlement_ids' ? new.id::text or p.companion -> 'entitlement_ids' ? new.id::text
                       or p.resources -> 'tags' ?| (new.compliance_tags || new.duty_tags)
                       or tg_op = 'UPDATE' and p.resources -> 'tags' ?| (old.compliance_tags || old.duty_tags))) then
        perform enqueue_work('policy_sweep', array['00000000-0000-0000-0000-000000000000'::uuid], 'an entitlement became grantable, or is no longer grantable');
    end if;
    if cardinality(holding) > 0 then
        perform roles_enqueue_policies(holding, 'an entitlement became grantable, or is no longer grantable');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function entitlement_enqueues_policies is
    'Trigger on entitlement: queues policy evaluation when the entitlement becomes grantable or stops being '
    'grantable, or when its tags change. It has an effect only if a policy or role assigns the entitlement, or a policy '
    'names one of its tags.';

create trigger identity_enqueues_policies_again after update on identity referencing old table as old_row new table as new_row
    for each statement execute function identity_enqueues_policies();
create trigger identity_enqueues_policies_first after insert on identity referencing new table as new_row
    for each statement execute function identity_enqueues_policies();
create trigger entitlement_enqueues_policies after update on entitlement
    for each row when (old.lifecycle <> new.lifecycle or (old.removed_at is null) <> (new.removed_at is null) or old.grantable <> new.grantable
                       or old.compliance_tags <> new.compliance_tags or old.duty_tags <> new.duty_tags)
    execute function entitlement_enqueues_policies();
create trigger tagged_entitlement_enqueues_policies after insert on entitlement
    for each row when (new.compliance_tags <> '{}' or new.duty_tags <> '{}')
    execute function entitlement_enqueues_policies();
create trigger role_enqueues_policies_again after update on role
    for each row when (old.lifecycle <> new.lifecycle or old.membership_rule is distinct from new.membership_rule
                       or old.membership_exclusions <> new.membership_exclusions)
    execute function role_enqueues_policies();
create trigger role_enqueues_policies_first after insert on role
    for each row when (new.membership_rule is not null) execute function role_enqueues_policies();
create trigger role_contents_enqueue_policies_less after delete on role_entitlement referencing old table as changed_row
    for each statement execute function role_contents_enqueue_policies();
create trigger role_contents_enqueue_policies_more after insert on role_entitlement referencing new table as changed_row
    for each statement execute function role_contents_enqueue_policies();
create trigger access_enqueues_policies_again after update on access_reason
    for each row when (new.source_type not in ('policy', 'role') and old.state <> new.state) execute function access_enqueues_policies();
create trigger access_enqueues_policies_first after insert on access_reason
    for each row when (new.source_type not in ('policy', 'role')) execute function access_enqueues_policies();
create trigger lifecycle_enqueues_policies after insert or update on lifecycle_policy
    for each row execute function lifecycle_enqueues_policies();
create trigger role_contents_enqueue_policies_less after delete on role_child referencing old table as changed_row
    for each statement execute function role_contents_enqueue_policies();
create trigger role_contents_enqueue_policies_more after insert on role_child referencing new table as changed_row
    for each statement execute function role_contents_enqueue_policies();

-- What people hold, for policies with the effect require.

-- +goose StatementBegin
create function holdings_changed(people uuid[]) returns void language plpgsql
as $$
begin
    if coalesce(current_setting('app.erasing', true), '') <> 'yes' and policies_ask('holdings') then
        insert into work_item (tenant_id, kind, subject)
        select distinct current_tenant(), 'policy', p
          from unnest(people) p
         where p is not null;
    end if;
end $$;
-- +goose StatementEnd
comment on function holdings_changed is
    'Queues people for policy evaluation if an enabled policy has the effect require.';

-- +goose StatementBegin
create function grants_change_holdings() returns trigger language plpgsql
as $$
begin
    if policies_ask('holdings') then
        perform holdings_changed(array(select distinct a.identity_id
                                         from new_row n
                                         join account a on a.tenant_id = n.tenant_id and a.id = n.account_id));
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function grants_change_holdings is
    'Trigger on access_grant: calls holdings_changed() for the owners of the accounts with new grants.';

-- +goose StatementBegin
create function grant_changes_holdings() returns trigger language plpgsql
as $$
begin
    if policies_ask('holdings') then
        perform holdings_changed(array(select a.identity_id from account a
                                        where a.tenant_id = new.tenant_id and a.id = new.account_id));
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function grant_changes_holdings is
    'Trigger on access_grant: calls holdings_changed() for the owner of the account when a grant begins or ends.';

-- +goose StatementBegin
create function reason_changes_holdings() returns trigger language plpgsql
as $$
begin
    perform holdings_changed(array[new.identity_id]);
    return null;
end $$;
-- +goose StatementEnd
comment on function reason_changes_holdings is
    'Trigger on access_reason: calls holdings_changed() for the person when a reason of any kind begins or ends.';

-- +goose StatementBegin
create function reasons_change_holdings() returns trigger language plpgsql
as $$
begin
    if policies_ask('holdings') then
        perform holdings_changed(array(select distinct n.identity_id from new_row n where n.state = 'active'));
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function reasons_change_holdings is
    'Trigger on access_reason: calls holdings_changed() for the people with new reasons.';

-- +goose StatementBegin
create function accounts_change_holdings() returns trigger language plpgsql
    set enable_nestloop = off
as $$
begin
    if not policies_ask('holdings') then
        return null;
    end if;
    if tg_op = 'INSERT' then
        perform holdings_changed(array(select distinct n.identity_id from new_row n));
    else
        perform holdings_changed(array(
            select distinct p.id
              from new_row n
              join old_row o on o.tenant_id = n.tenant_id and o.id = n.id
             cross join lateral (values (o.identity_id), (n.identity_id)) p (id)
             where o.identity_id is distinct from n.identity_id or o.status <> n.status));
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function accounts_change_holdings is
    'Trigger on account: calls holdings_changed() for the owners, before and after, of accounts that are new or '
    'changed their owner or status.';

create trigger grants_change_holdings after insert on access_grant referencing new table as new_row
    for each statement execute function grants_change_holdings();
create trigger grant_changes_holdings after update of status on access_grant
    for each row when (holds_access(old.status) <> holds_access(new.status)) execute function grant_changes_holdings();
create trigger reason_changes_holdings after update on access_reason
    for each row when (old.state <> new.state) execute function reason_changes_holdings();
create trigger reasons_change_holdings after insert on access_reason referencing new table as new_row
    for each statement execute function reasons_change_holdings();
create trigger accounts_change_holdings_again after update on account referencing old table as old_row new table as new_row
    for each statement execute function accounts_change_holdings();
create trigger accounts_change_holdings_first after insert on account referencing new table as new_row
    for each statement execute function accounts_change_holdings();

-- Rules that give console sign-in to people.

create table sign_in_rule (
    tenant_id        uuid        not null references tenant,
    id               uuid        not null,
    name             text        not null,
    responsible_for  text[]      not null default '{}',
    condition        jsonb       not null,
    sentence         text        not null,
    roles            text[]      not null default '{}',
    invitation       text        not null,
    enabled          boolean     not null default false,
    max_loss_percent int         not null default 10,
    counted_from     timestamptz,
    counted          int         not null default 0,
    counted_of       int         not null default 0,
    held_at          timestamptz,
    held_people      int         not null default 0,
    swept_at         timestamptz,
    created_at       timestamptz not null default now(),
    updated_at       timestamptz not null default now(),
    version          int         not null default 1,
    constraint sign_in_rule_pk primary key (tenant_id, id),
    constraint sign_in_rule_name_unique unique (tenant_id, name),
    constraint sign_in_rule_invitation_known check (invitation in ('mail', 'single_sign_on')),
    constraint sign_in_rule_percent_whole check (max_loss_percent between 1 and 100),
    constraint sign_in_rule_responsibility_known check (responsible_for <@ array['people', 'access']),
    constraint sign_in_rule_roles_known check (roles <@ array['manager', 'resource_owner', 'auditor'])
);
comment on table sign_in_rule is 'One rule that gives console sign-in to the people who meet it.';
comment on column sign_in_rule.responsible_for is
    'What people must be responsible for, at least one of: people (they manage someone), access (they own '
    'entitlements or roles). Empty: everyone who meets the condition.';
comment on column sign_in_rule.counted_from is
    'When the day began in which counted people lost sign-in by the rule. counted_of is how many had it then. Null '
    'if no one has lost it yet.';
comment on column sign_in_rule.held_at is
    'Since when no one loses sign-in by the rule, because more than its limit would. Null: it is not held.';
comment on column sign_in_rule.swept_at is 'When the rule was last evaluated for everyone.';
call secure_tenant_table('sign_in_rule');
call readable_across('sign_in_rule');

create table sign_in_grant (
    tenant_id   uuid        not null references tenant,
    rule_id     uuid        not null,
    identity_id uuid        not null,
    created_at  timestamptz not null default now(),
    constraint sign_in_grant_pk primary key (tenant_id, rule_id, identity_id),
    constraint sign_in_grant_rule foreign key (tenant_id, rule_id) references sign_in_rule (tenant_id, id) on delete cascade,
    constraint sign_in_grant_identity foreign key (tenant_id, identity_id) references identity (tenant_id, id) on delete cascade
);
comment on table sign_in_grant is 'One person to whom a rule gives console sign-in.';
call secure_tenant_table('sign_in_grant');
create index sign_in_grant_by_identity on sign_in_grant (tenant_id, identity_id);

-- +goose StatementBegin
create function sign_in_rules_live() returns boolean language sql stable
return exists (select from sign_in_rule r where r.tenant_id = current_tenant() and r.enabled);
-- +goose StatementEnd
comment on function sign_in_rules_live is 'Returns whether the tenant has an enabled sign-in rule.';

-- +goose StatementBegin
create function identity_enqueues_sign_in() returns trigger language plpgsql
    set enable_nestloop = off
as $$
begin
    if not sign_in_rules_live() then
        return null;
    end if;
    if tg_op = 'INSERT' then
        insert into work_item (tenant_id, kind, subject)
        select distinct n.tenant_id, 'sign_in', p.id
          from new_row n
         cross join lateral (values (n.id), (n.manager_id)) p (id)
         where p.id is not null;
    else
        insert into work_item (tenant_id, kind, subject)
        select distinct n.tenant_id, 'sign_in', p.id
          from new_row n
          join old_row o
            on o.tenant_id = n.tenant_id
           and o.id = n.id
         cross join lateral (values (n.id),
                                    (case when (o.status, o.manager_id) is distinct from (n.status, n.manager_id) then o.manager_id end),
                                    (case when (o.status, o.manager_id) is distinct from (n.status, n.manager_id) then n.manager_id end)) p (id)
         where p.id is not null
           and (o.status, o.external_id, o.source_connector_id, o.kind, o.employment_type, o.email, o.secondary_emails, o.username, o.first_name,
                o.middle_name, o.last_name, o.preferred_name, o.display_name, o.employee_number, o.department, o.division,
                o.organization, o.cost_center, o.title, o.job_code, o.job_family, o.location, o.country, o.locale, o.timezone,
                o.manager_external_id, o.manager_id, o.sponsor_id, o.backup_owner_id, o.hire_date, o.start_date, o.termination_date,
                o.last_working_at, o.leave_from, o.leave_to, o.status_reason, o.status_source, o.attributes, o.labels)
               is distinct from
               (n.status, n.external_id, n.source_connector_id, n.kind, n.employment_type, n.email, n.secondary_emails, n.username, n.first_name,
                n.middle_name, n.last_name, n.preferred_name, n.display_name, n.employee_number, n.department, n.division,
                n.organization, n.cost_center, n.title, n.job_code, n.job_family, n.location, n.country, n.locale, n.timezone,
                n.manager_external_id, n.manager_id, n.sponsor_id, n.backup_owner_id, n.hire_date, n.start_date, n.termination_date,
                n.last_working_at, n.leave_from, n.leave_to, n.status_reason, n.status_source, n.attributes, n.labels);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function identity_enqueues_sign_in is
    'Trigger on identity: queues people who were added or changed, and their managers, for the sign-in rules. '
    'Without an enabled rule, nothing is queued.';
create trigger identity_enqueues_sign_in_again after update on identity referencing old table as old_row new table as new_row
    for each statement execute function identity_enqueues_sign_in();
create trigger identity_enqueues_sign_in_first after insert on identity referencing new table as new_row
    for each statement execute function identity_enqueues_sign_in();

-- +goose StatementBegin
create function owners_enqueue_sign_in() returns trigger language plpgsql
as $$
declare
    owners uuid[] := new.owner_ids;
begin
    if tg_op = 'UPDATE' then
        owners := owners || old.owner_ids;
    end if;
    if sign_in_rules_live() then
        perform enqueue_work('sign_in', array(select distinct o from unnest(owners) o), 'owner');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function owners_enqueue_sign_in is
    'Trigger on entitlement and role: queues the previous and the new owners for the sign-in rules.';
create trigger owners_enqueue_sign_in_again after update on entitlement
    for each row when ((old.owner_ids, old.removed_at is null) is distinct from (new.owner_ids, new.removed_at is null))
    execute function owners_enqueue_sign_in();
create trigger owners_enqueue_sign_in_first after insert on entitlement
    for each row when (new.owner_ids <> '{}')
    execute function owners_enqueue_sign_in();
create trigger owners_enqueue_sign_in_again after update on role
    for each row when ((old.owner_ids, old.lifecycle) is distinct from (new.owner_ids, new.lifecycle))
    execute function owners_enqueue_sign_in();
create trigger owners_enqueue_sign_in_first after insert on role
    for each row when (new.owner_ids <> '{}')
    execute function owners_enqueue_sign_in();

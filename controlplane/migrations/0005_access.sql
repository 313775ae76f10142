-- +goose Up

-- Accounts, entitlements, grants, the reasons for grants, and who may see them.

-- Functions are created before the tables that they read.
set local check_function_bodies = off;

create table account (
    tenant_id            uuid        not null references tenant,
    id                   uuid        not null,
    connector_id         uuid        not null,
    external_id          text        not null,
    native_ref           text,
    native_identity      text,
    identity_external_id text,
    identity_id          uuid,
    username             text,
    username_lc          text        generated always as (lower(username)) stored,
    email                text,
    email_lc             text        generated always as (lower(email)) stored,
    display_name         text,
    first_name           text,
    last_name            text,
    employee_number      text,
    account_type         text        not null default 'unknown',
    is_disabled          boolean,
    is_locked            boolean,
    password_expired     boolean,
    mfa_enrolled         boolean,
    privileged           boolean,
    status               text        not null default 'active',
    correlation_state    text        not null default 'uncorrelated',
    correlation          jsonb       not null default '{}',
    managed              text        not null default 'discovered',
    purpose              text,
    expires_at           timestamptz,
    last_login_at        timestamptz,
    password_last_set_at timestamptz,
    native_created_at    timestamptz,
    native_modified_at   timestamptz,
    attributes           jsonb       not null default '{}',
    labels               jsonb       not null default '{}',
    row_hash             bytea       not null,
    first_seen_at        timestamptz not null default now(),
    changed_run_id       uuid,
    missing_since        timestamptz,
    created_at           timestamptz not null default now(),
    updated_at           timestamptz not null default now(),
    version              int         not null default 1,
    missing_runs         int         not null default 0,
    deleted_at           timestamptz,
    created_run_id       uuid,
    correlation_keys     bigint,
    correlation_rules    bigint,
    correlation_rejected uuid[]      not null default '{}',
    unowned_since        timestamptz,
    wanted_at            timestamptz,
    disabled_for         text,
    disabled_at          timestamptz,
    as_is_since          timestamptz not null default now(),
    owner_since          timestamptz not null default now(),
    status_before        text,
    owner_refs           jsonb       not null default '[]',
    constraint account_pk primary key (tenant_id, id),
    constraint account_external_id_unique unique (tenant_id, connector_id, external_id),
    constraint account_correlation_known check (correlation_state in ('linked', 'uncorrelated', 'disputed', 'manual', 'ignored')),
    constraint account_disabled_for_known check (disabled_for in ('left', 'leave', 'unwanted', 'order')),
    constraint account_managed_known check (managed in ('unmanaged', 'read_only', 'discovered', 'managed', 'protected')),
    constraint account_status_known check (status in ('provisioning', 'active', 'disabled', 'locked', 'missing', 'deprovisioning', 'deleted', 'failed',
                                                          'disconnected'))
);
comment on table account is 'One account: a login record in one target system.';
comment on column account.managed is
    'What can change the account. managed: rules, including all template attributes. discovered: rules, but no '
    'attributes; this is the default for accounts that a sync finds. read_only and unmanaged: administrators '
    'only. protected: never changed.';
comment on column account.correlation_keys is
    'Hash of the values that the correlation rules used to link the account. While it is unchanged, the account '
    'is not correlated again. Null means that a person or the source system set the owner, or that the account '
    'has not been correlated.';
comment on column account.correlation_rules is
    'Hash of the rules that linked the account. Null if correlation_keys is null.';
comment on column account.correlation_rejected is
    'Identities that a person removed as owner of this account. The rules do not link the account to them again '
    'until its correlation is reset.';
comment on column account.unowned_since is
    'When the account lost its owner. Null while it has an owner, or if it never had one; then first_seen_at '
    'applies.';
comment on column account.wanted_at is
    'When a reason first required the account. The value remains after the reasons end. Null means that no reason '
    'has required it.';
comment on column account.disabled_for is
    'Why Grantwright disabled the account: left, leave, unwanted or order. Null means that Grantwright did not '
    'disable it, or that it was enabled again.';
comment on column account.as_is_since is
    'Start of the account''s current state. account_past contains the earlier states.';
comment on column account.owner_since is 'Start of the current ownership, or of the time without an owner.';
comment on column account.status_before is
    'Status before the connector was deleted. Restoring the connector restores this status. Null unless the '
    'connector is deleted.';
comment on column account.owner_refs is
    'Owners that the target system names, as references with kind and value. Every sync run resolves them again. '
    'They apply to accounts that do not belong to a person, such as service accounts.';
call secure_tenant_table('account');
create index account_away on account (tenant_id, connector_id) where missing_since is not null or deleted_at is not null;
create index account_by_identity on account (tenant_id, identity_id) include (id, status) where identity_id is not null;
create index account_by_native_ref on account (tenant_id, connector_id, native_ref) where native_ref is not null;
create index account_by_username on account (tenant_id, connector_id, username_lc) where username_lc is not null;
create index account_managed on account (tenant_id, identity_id) where managed = 'managed';
create index account_source_owned on account (tenant_id, id)
    where owner_refs <> '[]' or correlation -> 'rule_ids' ->> 0 = 'source_owner';
create index account_unlinked on account (tenant_id, connector_id) where identity_id is null;
create index account_we_disabled on account (tenant_id, disabled_at) where disabled_for is not null;

create table entitlement (
    tenant_id            uuid        not null references tenant,
    id                   uuid        not null,
    connector_id         uuid,
    external_id          text        not null,
    native_ref           text,
    native_identity      text,
    kind                 text        not null default 'group',
    name                 text        not null default '',
    display_name         text        not null default '',
    description          text,
    business_description text,
    resource             jsonb,
    privileged           boolean     not null default false,
    risk_level           text        not null default 'low',
    requestable          boolean     not null default false,
    grantable            boolean     not null default true,
    revocable            boolean     not null default true,
    exclusion_group      text,
    max_members          int,
    owner_ids            uuid[]      not null default '{}',
    lifecycle            text        not null default 'active',
    attributes           jsonb       not null default '{}',
    labels               jsonb       not null default '{}',
    row_hash             bytea       not null,
    first_seen_at        timestamptz not null default now(),
    changed_run_id       uuid,
    missing_since        timestamptz,
    created_at           timestamptz not null default now(),
    updated_at           timestamptz not null default now(),
    version              int         not null default 1,
    missing_runs         int         not null default 0,
    removed_at           timestamptz,
    created_run_id       uuid,
    permission_summary   text[]      not null default '{}',
    backup_owner_ids     uuid[]      not null default '{}',
    compliance_tags      text[]      not null default '{}',
    duty_tags            text[]      not null default '{}',
    data_classes         text[]      not null default '{}',
    privileged_source    text,
    max_duration         text,
    default_duration     text,
    extension_max        text,
    approval_rule_id     uuid,
    visible_to           jsonb,
    replacement_id       uuid,
    lifecycle_before     text,
    owner_refs           jsonb       not null default '[]',
    source_owner_ids     uuid[]      not null default '{}',
    owners_decided       boolean     not null default false,
    constraint entitlement_pk primary key (tenant_id, id),
    constraint entitlement_external_id_unique unique nulls not distinct (tenant_id, connector_id, external_id),
    constraint entitlement_lifecycle_known check (lifecycle in ('active', 'deprecated', 'retired', 'disconnected')),
    constraint entitlement_privileged_source_known check (privileged_source in ('rule', 'human')),
    constraint entitlement_risk_known check (risk_level in ('low', 'medium', 'high', 'critical'))
);
comment on table entitlement is
    'One entitlement that can be granted in one target system: a group, role, permission set or license.';
comment on column entitlement.privileged_source is
    'What classified the entitlement as privileged or not privileged: rule or human. Null means that it was not '
    'classified.';
comment on column entitlement.visible_to is
    'Condition for the people who can request the entitlement. Null means all people.';
comment on column entitlement.lifecycle_before is
    'Lifecycle before the connector was deleted. Restoring the connector restores it. Null unless the connector '
    'is deleted.';
comment on column entitlement.owner_refs is
    'Owners that the target system names, as references with kind and value. Every sync run resolves them again.';
comment on column entitlement.source_owner_ids is
    'The owners in owner_ids that come from owner_refs. All other owners were set by a person and remain if the '
    'target system no longer names them.';
comment on column entitlement.owners_decided is
    'True if a person changed the owners after owner_refs last changed. The owners then stay as they are until '
    'owner_refs changes.';
call secure_tenant_table('entitlement');
create index entitlement_away on entitlement (tenant_id, connector_id) where missing_since is not null or removed_at is not null;
create index entitlement_by_connector on entitlement (tenant_id, connector_id, id);
create index entitlement_by_native_ref on entitlement (tenant_id, connector_id, native_ref) where native_ref is not null;
create index entitlement_source_owned on entitlement (tenant_id, id) where owner_refs <> '[]' or source_owner_ids <> '{}';

create table entitlement_edge (
    tenant_id      uuid        not null references tenant,
    member_id      uuid        not null,
    parent_id      uuid        not null,
    connector_id   uuid        not null,
    first_seen_at  timestamptz not null default now(),
    changed_run_id uuid,
    missing_since  timestamptz,
    missing_runs   int         not null default 0,
    told_by        text        not null default 'grant',
    constraint entitlement_edge_pk primary key (tenant_id, member_id, parent_id),
    constraint entitlement_edge_member foreign key (tenant_id, member_id) references entitlement (tenant_id, id) on delete cascade,
    constraint entitlement_edge_parent foreign key (tenant_id, parent_id) references entitlement (tenant_id, id) on delete cascade,
    constraint entitlement_edge_told_by_known check (told_by in ('grant', 'parent'))
);
comment on table entitlement_edge is
    'One nesting of entitlements: accounts with member_id inherit parent_id. Target systems may contain cycles; '
    'queries handle them.';
comment on column entitlement_edge.told_by is
    'Source of the nesting. grant: the outer entitlement lists its members. parent: the inner entitlement''s '
    'record names its parents.';
call secure_tenant_table('entitlement_edge');
create index entitlement_edge_by_parent on entitlement_edge (tenant_id, parent_id);

create table access_grant (
    tenant_id               uuid        not null,
    id                      uuid        not null,
    connector_id            uuid        not null,
    account_id              uuid        not null,
    entitlement_id          uuid        not null,
    external_id             text,
    directness              text        not null default 'direct',
    status                  text        not null default 'active',
    immutable               boolean     not null default false,
    assigned_by             text,
    starts_at               timestamptz,
    ends_at                 timestamptz,
    granted_at              timestamptz,
    last_used_at            timestamptz,
    attributes              jsonb       not null default '{}',
    labels                  jsonb       not null default '{}',
    row_hash                bytea,
    first_seen_at           timestamptz not null default now(),
    changed_run_id          uuid,
    missing_since           timestamptz,
    created_at              timestamptz not null default now(),
    updated_at              timestamptz not null default now(),
    version                 int         not null default 1,
    missing_runs            int         not null default 0,
    revoked_at              timestamptz,
    created_run_id          uuid,
    suppress_reimport_until timestamptz,
    reappeared              boolean     not null default false,
    wanted_at               timestamptz,
    as_is_since             timestamptz not null default now(),
    status_before           text,
    constraint access_grant_pk primary key (tenant_id, id),
    constraint access_grant_pair_unique unique (tenant_id, account_id, entitlement_id) include (id, status),
    constraint access_grant_directness_known check (directness in ('direct', 'inherited')),
    constraint access_grant_status_known check (status in ('requested', 'pending', 'active', 'ending', 'revoking', 'revoked', 'failed', 'missing',
                                                               'disconnected'))
);
comment on table access_grant is
    'One grant: an account holds an entitlement, directly or through nested groups. A grant that is both direct '
    'and inherited is stored as direct; its paths show the inheritance.';
comment on column access_grant.suppress_reimport_until is
    'End of the waiting time after a revocation. Until then, a sync that still finds the grant is treated as a '
    'delayed result, not as a reappearance. Null if no waiting time applies.';
comment on column access_grant.reappeared is
    'True if the grant reappeared in the target system after Grantwright revoked it and no reason requires it.';
comment on column access_grant.wanted_at is
    'When a reason first required the grant, or required it again after it reappeared. The value remains after '
    'the reasons end. Null means that no reason has required it.';
comment on column access_grant.as_is_since is
    'Start of the current state of the grant: direct, inherited or not present in the target system. '
    'access_grant_past contains the earlier periods.';
comment on column access_grant.status_before is
    'Status before the connector was deleted. Restoring the connector restores this status. Null unless the '
    'connector is deleted.';
call secure_tenant_table('access_grant');
create index access_grant_away on access_grant (tenant_id, connector_id) where missing_since is not null or revoked_at is not null;
create index access_grant_by_entitlement on access_grant (tenant_id, entitlement_id);
create index access_grant_inherited on access_grant (tenant_id, connector_id) where directness = 'inherited';
create index access_grant_reappeared on access_grant (tenant_id, connector_id) where reappeared;
create index access_grant_to_end on access_grant (tenant_id, ends_at) where status = 'active' and ends_at is not null and wanted_at is not null;

create table access_reason (
    tenant_id      uuid        not null references tenant,
    id             uuid        not null,
    identity_id    uuid        not null,
    connector_id   uuid        not null,
    entitlement_id uuid,
    account_id     uuid,
    effect         text        not null default 'allow',
    kind           text        not null,
    source_type    text        not null,
    source_id      uuid        not null,
    source_version int         not null default 1,
    role_id        uuid,
    note           text,
    state          text        not null default 'active',
    starts_at      timestamptz not null default now(),
    ends_at        timestamptz,
    ended_at       timestamptz,
    end_reason     text,
    details        jsonb       not null default '{}',
    created_by     jsonb       not null default '{}',
    created_at     timestamptz not null default now(),
    constraint access_reason_pk primary key (tenant_id, id),
    constraint access_reason_effect_known check (effect in ('allow', 'deny')),
    constraint access_reason_kind_known check (kind in ('birthright', 'policy', 'role', 'request', 'emergency', 'certified', 'exception', 'imported', 'manual')),
    constraint access_reason_state_known check (state in ('scheduled', 'active', 'ended'))
);
comment on table access_reason is
    'One reason why a person should have an entitlement, or an account if entitlement_id is null. The access is '
    'required while an allow reason is active and no deny reason is. Rows are never deleted; they are the history '
    'of access.';
comment on column access_reason.account_id is
    'Account that the reason applies to. Null means the person''s main account in the target system.';
comment on column access_reason.source_id is
    'Policy, role, role assignment, request or user that created the reason; source_type states which.';
comment on column access_reason.ends_at is
    'When the reason is due to end, because of a time limit or a grace period. Null means that it has no end '
    'date.';
call secure_tenant_table('access_reason', 'select, insert, update');
create index access_reason_by_entitlement on access_reason (tenant_id, entitlement_id, identity_id) where state <> 'ended';
create index access_reason_by_role on access_reason (tenant_id, role_id) where role_id is not null and state <> 'ended';
create index access_reason_by_source on access_reason (tenant_id, source_id) where state <> 'ended';
-- Denials are few, and asked for with every allow.
create index access_reason_denying on access_reason (tenant_id, identity_id, connector_id) where effect = 'deny' and state = 'active';
-- For the reasons of a pair, those that have ended too.
create index access_reason_history on access_reason (tenant_id, identity_id, entitlement_id);
create unique index access_reason_live on access_reason (tenant_id, identity_id, connector_id, entitlement_id, account_id, effect, kind, source_id, role_id)
    nulls not distinct where state <> 'ended';
create index access_reason_to_end on access_reason (tenant_id, ends_at) where state = 'active' and ends_at is not null;
create index access_reason_to_start on access_reason (tenant_id, starts_at) where state = 'scheduled';

create table grant_review (
    tenant_id   uuid        not null references tenant,
    grant_id    uuid        not null,
    state       text        not null,
    found_at    timestamptz not null default now(),
    accepted_at timestamptz,
    accepted_by jsonb,
    comment     text        not null default '',
    constraint grant_review_pk primary key (tenant_id, grant_id),
    constraint grant_review_grant foreign key (tenant_id, grant_id) references access_grant (tenant_id, id) on delete cascade,
    constraint grant_review_state_known check (state in ('found', 'accepted'))
);
comment on table grant_review is
    'Review of a grant that was made in the target system. found: it appeared after the first import. accepted: a '
    'person accepted it. A grant from the first import has no row until it is accepted.';
call secure_tenant_table('grant_review');
create index grant_review_found on grant_review (tenant_id, found_at) where state = 'found';

-- +goose StatementBegin
create function owned_entitlement() returns TABLE(id uuid) language sql stable parallel safe
as $$
    select e.id
      from entitlement e
     where viewer_has_role('resource_owner')
       and (select viewer_serves())
       and (select viewer_identity()) = any (e.owner_ids)
$$;
-- +goose StatementEnd
comment on function owned_entitlement is
    'Returns the entitlements that the viewer owns. The result is empty if the viewer lacks the resource_owner '
    'role or has left.';

-- +goose StatementBegin
create function visible_identity() returns SETOF identity language sql stable parallel safe
as $$
    select i.*
      from managed_identity() m
      join identity i on i.id = m.id
     union all
    select i.*
      from (select distinct a.identity_id as id
              from owned_grant() g
              join account a on a.id = g.account_id
             where a.identity_id not in (select m.id from managed_identity() m)) h
      join identity i on i.id = h.id
$$;
-- +goose StatementEnd
comment on function visible_identity is
    'Returns the identities that the viewer may list: their reports, and people with grants of entitlements that '
    'the viewer owns.';

-- +goose StatementBegin
create function visible_grant() returns SETOF access_grant language sql stable parallel safe
as $$
    select g.*
      from managed_identity() m
      join account a on a.identity_id = m.id
      join access_grant g on g.account_id = a.id
     union all
    select g.*
      from owned_grant() g
      join account a
        on a.id = g.account_id
       and a.identity_id is not null
       and a.identity_id not in (select m.id from managed_identity() m)
$$;
-- +goose StatementEnd
comment on function visible_grant is
    'Returns the grants that the viewer may list: those of reports, and those of owned entitlements whose account '
    'has an owner. No grant reveals a person whom visible_identity() excludes.';

-- +goose StatementBegin
create function visible_account() returns SETOF account language sql stable parallel safe
as $$
    select a.*
      from managed_identity() m
      join account a on a.identity_id = m.id
     union all
    select a.*
      from (select distinct g.account_id as id from owned_grant() g) h
      join account a
        on a.id = h.id
       and a.identity_id is not null
       and a.identity_id not in (select m.id from managed_identity() m)
$$;
-- +goose StatementEnd
comment on function visible_account is
    'Returns the accounts that the viewer may list: those of reports and of people with grants of owned '
    'entitlements. Accounts without an owner are visible only to administrators and auditors.';

-- Managers see no entitlement by what their reports hold in a system that is not connected any more.
-- +goose StatementBegin
create function visible_entitlement() returns SETOF entitlement language sql stable parallel safe
as $$
    select e.*
      from entitlement e
     where e.id in (select o.id from owned_entitlement() o)
     union all
    select e.*
      from (select distinct g.entitlement_id as id
              from managed_identity() m
              join account a on a.identity_id = m.id
              join access_grant g
                on g.account_id = a.id
               and g.status not in ('revoked', 'failed', 'disconnected')
             where g.entitlement_id not in (select o.id from owned_entitlement() o)) h
      join entitlement e on e.id = h.id
$$;
-- +goose StatementEnd
comment on function visible_entitlement is
    'Returns the entitlements that the viewer may list: owned ones and those that reports have. Grants that are '
    'revoked, failed or disconnected do not count.';

-- +goose StatementBegin
create function holds_access(status text) returns boolean language sql immutable parallel safe
as $$ select status in ('active', 'pending', 'ending', 'revoking', 'missing') $$;
-- +goose StatementEnd
comment on function holds_access is
    'Returns whether a grant in this status makes its account''s owner visible to the owner of the entitlement.';

-- +goose StatementBegin
create function viewer_serves() returns boolean language plpgsql stable parallel safe
as $$
begin
    return exists (select from identity i
                    where i.tenant_id = current_tenant()
                      and i.id = viewer_identity()
                      and i.status not in ('deactivated', 'archived'));
end $$;
-- +goose StatementEnd
comment on function viewer_serves is
    'Returns whether the viewer''s identity is neither deactivated nor archived. People who leave lose the '
    'visibility of their roles at once. It is written in PL/pgSQL, because an SQL function would be planned '
    'several times in each request.';

-- +goose StatementBegin
create function walked_identity() returns TABLE(id uuid) language plpgsql stable parallel safe rows 1
as $$
begin
    if viewer_has_role('manager') and not exists (select from management_root k where k.manager_id = viewer_identity()) then
        return query select r.id from reports_of(viewer_identity()) r;
    end if;
end $$;
-- +goose StatementEnd
comment on function walked_identity is
    'Returns the reports of a manager who is not in management_root. The planner cannot inline it and estimates '
    'one row, so that plans suit managers in management_root.';

-- +goose StatementBegin
create function owned_grant() returns SETOF access_grant language sql stable parallel safe
as $$
    select g.*
      from owned_entitlement() o
      join access_grant g
        on g.entitlement_id = o.id
       and holds_access(g.status)
    offset 0
$$;
-- +goose StatementEnd
comment on function owned_grant is
    'Returns the grants of entitlements that the viewer owns. offset 0 prevents the planner from starting with '
    'all accounts.';

-- +goose StatementBegin
create function readable_identity(own boolean) returns SETOF identity language sql stable parallel safe
as $$
    select i.*
      from identity i
     where exists (select from managed_identity() m where m.id = i.id)
        or own and i.id = (select viewer_identity())
        or exists (select
                     from account a
                     join access_grant g
                       on g.account_id = a.id
                      and holds_access(g.status)
                     join owned_entitlement() o on o.id = g.entitlement_id
                    where a.identity_id = i.id)
$$;
-- +goose StatementEnd
comment on function readable_identity is
    'Returns the identities that the viewer may read, like visible_identity(). With own, it includes the viewer. '
    'It starts from the identities, so it is efficient if the query already selects a few.';

-- +goose StatementBegin
create function readable_account(own boolean) returns SETOF account language sql stable parallel safe
as $$
    select a.*
      from account a
     where exists (select from managed_identity() m where m.id = a.identity_id)
        or own and a.identity_id = (select viewer_identity())
        or a.identity_id is not null
       and exists (select
                     from access_grant g
                     join owned_entitlement() o on o.id = g.entitlement_id
                    where g.account_id = a.id
                      and holds_access(g.status))
$$;
-- +goose StatementEnd
comment on function readable_account is
    'Returns the accounts that the viewer may read, like visible_account(). With own, it includes the viewer''s '
    'accounts. It starts from the accounts, so it is efficient if the query already selects a few.';

-- +goose StatementBegin
create function readable_grant(own boolean) returns SETOF access_grant language sql stable parallel safe
as $$
    select g.*
      from access_grant g
      join account a on a.id = g.account_id
     where exists (select from managed_identity() m where m.id = a.identity_id)
        or own and a.identity_id = (select viewer_identity())
        or a.identity_id is not null
       and holds_access(g.status)
       and exists (select from owned_entitlement() o where o.id = g.entitlement_id)
$$;
-- +goose StatementEnd
comment on function readable_grant is
    'Returns the grants that the viewer may read, like visible_grant(). With own, it includes the viewer''s '
    'grants. It starts from the grants, so it is efficient if the query already selects a few.';

-- +goose StatementBegin
create function readable_entitlement(own boolean) returns SETOF entitlement language sql stable parallel safe
as $$
    select e.*
      from entitlement e
     where exists (select from owned_entitlement() o where o.id = e.id)
        or exists (select
                     from managed_identity() m
                     join account a on a.identity_id = m.id
                     join access_grant g
                       on g.account_id = a.id
                      and g.status not in ('revoked', 'failed', 'disconnected')
                    where g.entitlement_id = e.id)
        or own
       and exists (select
                     from account a
                     join access_grant g
                       on g.account_id = a.id
                      and g.status not in ('revoked', 'failed', 'disconnected')
                    where a.identity_id = (select viewer_identity())
                      and g.entitlement_id = e.id)
$$;
-- +goose StatementEnd
comment on function readable_entitlement is
    'Returns the entitlements that the viewer may read, like visible_entitlement(). With own, it includes the '
    'viewer''s entitlements. It starts from the entitlements, so it is efficient if the query already selects a '
    'few.';

-- +goose StatementBegin
create function grant_leaves_and_returns() returns trigger language plpgsql
as $$
begin
    if old.status = 'revoking' and new.status = 'revoked' then
        new.suppress_reimport_until := now() + interval '10 minutes';
        new.reappeared := false;
    elsif new.status = 'pending' then
        new.suppress_reimport_until := null;
        new.reappeared := false;
    end if;
    return new;
end $$;
-- +goose StatementEnd
comment on function grant_leaves_and_returns is
    'Trigger on access_grant: starts the waiting time for delayed sync results when a revocation completes, '
    'whether confirmed by provisioning or a sync. A new order to grant ends it.';

-- +goose StatementBegin
create function run_ends_first_import() returns trigger language plpgsql
as $$
begin
    update connector set first_imported_at = now()
     where tenant_id = new.tenant_id and id = new.connector_id and first_imported_at is null;
    return null;
end $$;
-- +goose StatementEnd
comment on function run_ends_first_import is
    'Trigger on sync_run: sets first_imported_at of the connector when its first full sync ends.';

-- +goose StatementBegin
create function grants_are_found() returns trigger language plpgsql
as $$
begin
    if current_setting('app.erasing', true) = 'yes' then
        return null;
    end if;
    with found as (
        insert into grant_review (tenant_id, grant_id, state)
        select n.tenant_id, n.id, 'found'
          from new_row n
          join connector c on c.tenant_id = n.tenant_id and c.id = n.connector_id and c.first_imported_at is not null
         where n.status = 'active'
           and n.directness = 'direct'
           and n.wanted_at is null
            on conflict (tenant_id, grant_id) do nothing
        returning grant_id
    )
    insert into work_item (tenant_id, kind, subject, due_at)
    select distinct n.tenant_id, 'inbox_native_grant', n.connector_id, now() + interval '2 minutes'
      from found f
      join new_row n on n.id = f.grant_id;
    return null;
end $$;
-- +goose StatementEnd
comment on function grants_are_found is
    'Trigger on access_grant: records new direct grants that a sync finds after the first import and that no '
    'reason requires. It queues their connectors with a delay, so that policies can first add their reasons.';

-- +goose StatementBegin
create function grant_is_found_again() returns trigger language plpgsql
as $$
begin
    insert into grant_review as r (tenant_id, grant_id, state)
    select new.tenant_id, new.id, 'found'
      from connector c
     where c.tenant_id = new.tenant_id and c.id = new.connector_id and c.first_imported_at is not null
        on conflict (tenant_id, grant_id) do update
       set state = 'found', found_at = now(), accepted_at = null, accepted_by = null, comment = '';
    perform enqueue_inbox('native_grant', new.connector_id, interval '2 minutes');
    return null;
end $$;
-- +goose StatementEnd
comment on function grant_is_found_again is
    'Trigger on access_grant: marks a grant as found when it was ended or inherited and is now made directly in '
    'the target system. grants_are_found() does the same for new grants.';

-- +goose StatementBegin
create function unmanaged_grants() returns TABLE(id uuid, connector_id uuid, account_id uuid, identity_id uuid, entitlement_id uuid, found_at timestamptz, policy text) language sql stable
as $$
    select g.id, g.connector_id, g.account_id, a.identity_id, g.entitlement_id, r.found_at, coalesce(p.native_grant_policy, 'review')
      from grant_review r
      join access_grant g on g.tenant_id = r.tenant_id and g.id = r.grant_id
      join account a on a.tenant_id = g.tenant_id and a.id = g.account_id
      join connector c on c.tenant_id = g.tenant_id and c.id = g.connector_id and c.deleted_at is null
      left join connector_provisioning p on p.tenant_id = c.tenant_id and p.connector_id = c.id
     where r.tenant_id = current_tenant()
       and r.state = 'found'
       and g.status = 'active'
       and g.directness = 'direct'
       and g.wanted_at is null
       and not g.reappeared
       and not g.immutable
       and a.identity_id is not null
$$;
-- +goose StatementEnd
comment on function unmanaged_grants is
    'Returns the unmanaged grants with the native grant policy of their connector. These are active direct grants '
    'that appeared after the first import, with no reason and no acceptance. Immutable and reappeared grants, and '
    'accounts without an owner, are excluded.';

create trigger grant_is_found_again after update of status, directness on access_grant for each row
    when (new.status = 'active' and new.directness = 'direct' and new.wanted_at is null and not new.reappeared
          and (old.status in ('revoked', 'failed') or old.directness = 'inherited'))
    execute function grant_is_found_again();
create trigger grant_leaves_and_returns before update of status on access_grant
    for each row when (old.status = 'revoking' and new.status = 'revoked' or new.status = 'pending' and old.status <> 'pending')
    execute function grant_leaves_and_returns();
create trigger grants_are_found after insert on access_grant referencing new table as new_row
    for each statement execute function grants_are_found();
create trigger run_ends_first_import after update of status on sync_run for each row
    when (new.status in ('succeeded', 'partial') and old.status is distinct from new.status and not new.effective_incremental and new.max_records is null)
    execute function run_ends_first_import();

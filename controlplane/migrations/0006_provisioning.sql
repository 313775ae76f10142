-- +goose Up

-- Provisioning tasks, circuit breakers, account templates and drift.

-- Functions are created before the tables that they read.
set local check_function_bodies = off;

create table provisioning_task (
    tenant_id       uuid        not null references tenant,
    id              uuid        not null,
    connector_id    uuid        not null,
    operation       text        not null,
    identity_id     uuid,
    account_id      uuid,
    grant_id        uuid,
    entitlement_id  uuid,
    payload         jsonb       not null default '{}',
    reason_refs     jsonb       not null default '[]',
    created_from    text        not null,
    mode            text        not null default 'auto',
    lane            text        not null default 'normal',
    state           text        not null default 'queued',
    idempotency_key uuid        not null,
    depends_on      uuid[]      not null default '{}',
    attempts        int         not null default 0,
    next_attempt_at timestamptz not null default now(),
    lease_owner     uuid,
    lease_until     timestamptz,
    outcome         text,
    error           jsonb,
    error_class     text,
    advice          text,
    plan            jsonb,
    changes         jsonb,
    verified        text        not null default 'none',
    verified_by     text,
    verified_at     timestamptz,
    verified_run_id uuid,
    note            text,
    created_by      jsonb       not null default '{}',
    created_at      timestamptz not null default now(),
    updated_at      timestamptz not null default now(),
    finished_at     timestamptz,
    version         int         not null default 1,
    tries           int         not null default 0,
    unsure          boolean     not null default false,
    replan          boolean     not null default false,
    executed_by     jsonb,
    escalated_at    timestamptz,
    look_at         timestamptz,
    looks           int         not null default 0,
    held_at         timestamptz,
    hold            jsonb,
    hold_override   jsonb,
    constraint provisioning_task_pk primary key (tenant_id, id),
    constraint provisioning_task_lane_known check (lane in ('normal', 'urgent')),
    constraint provisioning_task_mode_known check (mode in ('auto', 'manual', 'simulate')),
    constraint provisioning_task_operation_known check (operation in ('create_account', 'update_account', 'rename_account', 'enable', 'disable',
        'delete_account', 'unlock', 'set_password', 'grant', 'revoke')),
    constraint provisioning_task_state_known check (state in ('queued', 'blocked', 'running', 'verifying', 'retrying', 'done', 'failed', 'manual', 'cancelled', 'simulated')),
    constraint provisioning_task_verified_known check (verified in ('none', 'pending', 'yes', 'no'))
);
comment on table provisioning_task is
    'One change in a target system that is planned, in progress or completed. Rows are never deleted.';
comment on column provisioning_task.tries is
    'Number of attempts that ended because of the change, not because of a failed sign-in or throttling by the '
    'target system.';
comment on column provisioning_task.unsure is
    'True if the change may have been made although no result was received. The current state is read before the '
    'task is sent again.';
comment on column provisioning_task.replan is
    'True if the opposite change became necessary during execution. The person is planned again when the task '
    'ends.';
comment on column provisioning_task.escalated_at is
    'When the disabling of a leaver''s account was escalated, because it did not succeed in time. Null if it was '
    'not escalated.';
comment on column provisioning_task.look_at is
    'When the record is next read to confirm a change that was made but not yet observed. Null means at the '
    'default time after the change.';
comment on column provisioning_task.looks is 'Number of readings since the change was made that did not confirm it.';
comment on column provisioning_task.held_at is
    'Time since which a task in the state blocked is held by a separation-of-duties policy. Null: it is not held.';
comment on column provisioning_task.hold is
    'Why the task is held, and the advice that it had before. Null: it is not held.';
comment on column provisioning_task.hold_override is
    'Who allowed the task although it was held, with reason, time and the versions of the policies that it applies '
    'to. Null: no one.';
call secure_tenant_table('provisioning_task', 'select, insert, update');
call readable_across('provisioning_task', 'tenant_id, connector_id, mode, lane, state, next_attempt_at, lease_until');
create index provisioning_task_by_account on provisioning_task (tenant_id, account_id);
create index provisioning_task_by_identity on provisioning_task (tenant_id, identity_id);
create index provisioning_task_due on provisioning_task (next_attempt_at, tenant_id, connector_id)
    where state in ('queued', 'retrying') and mode <> 'manual';
create index provisioning_task_finished on provisioning_task (tenant_id, connector_id, operation, finished_at) where finished_at is not null;
create index provisioning_task_held on provisioning_task (tenant_id, connector_id, lease_until) where state = 'running';
create index provisioning_task_lane on provisioning_task (tenant_id, connector_id, lane, next_attempt_at, id)
    where state in ('queued', 'retrying') and mode <> 'manual';
create index provisioning_task_leavers on provisioning_task (tenant_id, created_at)
    where operation = 'disable' and payload ->> 'disabled_for' = 'left'
      and state in ('queued', 'blocked', 'running', 'retrying', 'failed', 'manual');
create index provisioning_task_on_hold on provisioning_task (tenant_id, identity_id) where held_at is not null;
create unique index provisioning_task_of_account on provisioning_task (tenant_id, account_id, operation)
    where operation not in ('grant', 'revoke') and account_id is not null and mode <> 'simulate'
      and state in ('queued', 'blocked', 'running', 'retrying', 'failed', 'manual');
create unique index provisioning_task_of_grant on provisioning_task (tenant_id, grant_id)
    where grant_id is not null and mode <> 'simulate' and state in ('queued', 'blocked', 'running', 'retrying', 'failed', 'manual');
create unique index provisioning_task_of_life on provisioning_task (tenant_id, account_id)
    where operation in ('create_account', 'enable', 'disable', 'delete_account') and account_id is not null and mode <> 'simulate'
      and state in ('queued', 'running', 'retrying', 'failed', 'manual');
create index provisioning_task_open on provisioning_task (tenant_id, connector_id, state)
    where mode <> 'simulate' and state in ('queued', 'blocked', 'retrying', 'failed', 'manual');
create unique index provisioning_task_simulated on provisioning_task (tenant_id, connector_id, identity_id, account_id, entitlement_id, operation) nulls not distinct
    where mode = 'simulate' and created_from <> 'manual' and state <> 'cancelled';
create index provisioning_task_unverified on provisioning_task (tenant_id, connector_id) where state = 'verifying';
create index provisioning_task_waiting on provisioning_task using gin (depends_on) where state in ('blocked', 'manual');

create table provisioning_attempt (
    tenant_id   uuid        not null references tenant,
    task_id     uuid        not null,
    n           int         not null,
    at          timestamptz not null default now(),
    request_id  uuid        not null,
    outcome     text,
    error_class text,
    upstream    jsonb,
    executed_by jsonb,
    latency_ms  int,
    constraint provisioning_attempt_pk primary key (tenant_id, task_id, n)
);
comment on table provisioning_attempt is
    'One attempt to send a provisioning task. A null outcome means that the attempt is in progress or that its '
    'result was never received.';
call secure_tenant_table('provisioning_attempt', 'select, insert, update');

-- One process at a time makes a connector's changes, so that how many are made at once is known, and none meets another.
create table provisioning_lane (
    tenant_id    uuid        not null references tenant,
    connector_id uuid        not null,
    owner        uuid,
    lease_until  timestamptz,
    wait_until   timestamptz,
    wait_code    text,
    wait_reason  text,
    wait_since   timestamptz,
    failures     int         not null default 0,
    counted_from timestamptz not null default '-infinity'::timestamp with time zone,
    ops          text[],
    ops_missing  text[],
    ops_why      text,
    ops_version  int,
    ops_test     text,
    planned_mode text,
    constraint provisioning_lane_pk primary key (tenant_id, connector_id)
);
comment on table provisioning_lane is
    'Write queue of one connector: the process that writes, until when and why it waits, and the operations that '
    'the connector supports.';
comment on column provisioning_lane.failures is 'Number of consecutive times that the target system was unavailable.';
comment on column provisioning_lane.counted_from is
    'When the circuit breaker was last closed. Only later changes count toward its limits.';
comment on column provisioning_lane.ops is
    'Operations that the settings of the connector allow, without those in ops_missing. Null means not known yet.';
comment on column provisioning_lane.ops_missing is
    'Operations that the settings of the connector allow and that its last connection test did not find in the '
    'target system. Their tasks are manual.';
comment on column provisioning_lane.ops_version is 'Version of the connector from which ops was derived.';
comment on column provisioning_lane.ops_test is
    'Time of the connection test from which ops was derived, as last_test of the connector has it.';
comment on column provisioning_lane.planned_mode is
    'Write mode of the last planning. If the mode changes, the affected people are planned again. Null means that '
    'they must be planned.';
call secure_tenant_table('provisioning_lane');
call readable_across('provisioning_lane', 'tenant_id, connector_id, lease_until, wait_until');

create table provisioning_switch (
    tenant_id  uuid        not null references tenant,
    writes     boolean     not null default true,
    reason     text,
    changed_by jsonb       not null default '{}',
    changed_at timestamptz not null default now(),
    version    int         not null default 1,
    constraint provisioning_switch_pk primary key (tenant_id)
);
comment on table provisioning_switch is
    'Kill switch of a tenant. If writes is false, no change is sent to any target system. A tenant without a row '
    'allows writes.';
call secure_tenant_table('provisioning_switch');

create table connector_provisioning (
    tenant_id           uuid        not null references tenant,
    connector_id        uuid        not null,
    write_mode          text,
    account             jsonb       not null default '{}',
    deprovision         jsonb       not null default '{}',
    native_grant_policy text,
    drift               jsonb       not null default '{}',
    breaker             jsonb       not null default '{}',
    breaker_open_since  timestamptz,
    breaker_reason      text,
    updated_at          timestamptz not null default now(),
    version             int         not null default 1,
    constraint connector_provisioning_pk primary key (tenant_id, connector_id),
    constraint connector_provisioning_connector foreign key (tenant_id, connector_id) references connector (tenant_id, id),
    constraint connector_provisioning_mode_known check (write_mode in ('off', 'simulate', 'manual', 'auto')),
    constraint connector_provisioning_native_known check (native_grant_policy in ('tolerate', 'review', 'revoke'))
);
comment on table connector_provisioning is
    'Provisioning settings of a connector. Null or empty columns, or a missing row, mean the defaults of the '
    'connector''s type and vendor.';
call secure_tenant_table('connector_provisioning');

create table account_shape (
    tenant_id    uuid        not null references tenant,
    account_id   uuid        not null,
    connector_id uuid        not null,
    desired      jsonb       not null default '{}',
    drift        jsonb       not null default '[]',
    accepted     jsonb       not null default '{}',
    pushed       jsonb       not null default '{}',
    problems     jsonb       not null default '[]',
    looked_at    timestamptz not null default now(),
    constraint account_shape_pk primary key (tenant_id, account_id)
);
comment on table account_shape is
    'Result of the last comparison between a managed account and its account template, including drift.';
comment on column account_shape.desired is
    'Values that the template produced, by target attribute. If the template''s result changes, the new value is '
    'written. Any other difference in the target system is drift.';
comment on column account_shape.drift is
    'List of attributes that differ from the template: field, desired, observed, since and task_id.';
comment on column account_shape.accepted is
    'Values that may differ from the template, by target attribute. Each entry records the value, its time, and '
    'the person or drift rule that accepted it.';
comment on column account_shape.pushed is
    'Last write of each target attribute: desired, observed and task_id. It prevents repeated writes to a target '
    'system that ignores them.';
comment on column account_shape.problems is
    'Attributes that the template could not produce for the owner, with the reasons.';
call secure_tenant_table('account_shape');
create index account_shape_drifted on account_shape (tenant_id, connector_id, account_id) where drift <> '[]';

create table provisioning_round (
    tenant_id uuid        not null references tenant,
    began_at  timestamptz not null default now(),
    through   uuid,
    constraint provisioning_round_pk primary key (tenant_id)
);
comment on table provisioning_round is
    'Daily comparison of the required access of all people with their actual access.';
comment on column provisioning_round.through is
    'Last person processed in the current round. Null means that no round is in progress.';
call secure_tenant_table('provisioning_round');

-- Who leaves, returns or is to be gone at once is looked at, whether or not a reason of theirs changes.
-- +goose StatementBegin
create function identity_marks_access() returns trigger language plpgsql
as $$
begin
    perform enqueue_work('provisioning', array[new.id], priority => (new.urgent and new.status in ('deactivated', 'archived'))::int);
    return null;
end $$;
-- +goose StatementEnd
comment on function identity_marks_access is
    'Trigger on identity: queues the person for provisioning when their status or urgency changes. The entry is '
    'urgent if an urgent person was deactivated or archived.';

-- +goose StatementBegin
create function accounts_mark_access() returns trigger language plpgsql
as $$
begin
    insert into work_item (tenant_id, kind, subject)
    select distinct n.tenant_id, 'provisioning', n.identity_id
      from added n
     where n.identity_id is not null
       and n.status in ('active', 'locked')
       and (exists (select from access_reason r where r.tenant_id = n.tenant_id and r.identity_id = n.identity_id and r.connector_id = n.connector_id and r.state = 'active')
         or exists (select from identity i where i.tenant_id = n.tenant_id and i.id = n.identity_id and i.status in ('deactivated', 'archived')));
    return null;
end $$;
-- +goose StatementEnd
comment on function accounts_mark_access is
    'Trigger on account: queues the owners of new usable accounts for provisioning. It applies to owners with an '
    'active reason in that target system and to owners who left.';

-- +goose StatementBegin
create function account_marks_shape() returns trigger language plpgsql
as $$
begin
    perform enqueue_work('drift', array[new.id],
            case when tg_op = 'INSERT' or old.status in ('provisioning', 'failed') then 'made'
                 when old.managed <> 'managed' or old.identity_id is distinct from new.identity_id then 'adopted'
                 else 'account' end);
    return null;
end $$;
-- +goose StatementEnd
comment on function account_marks_shape is
    'Trigger on account: queues a managed account with an owner for comparison with its template after it was '
    'created or changed.';

-- What templates can say of a person, as directory.EachFacts tells it, and of their manager.
-- +goose StatementBegin
create function identity_marks_shape() returns trigger language plpgsql
as $$
begin
    insert into work_item (tenant_id, kind, subject, cause)
    select a.tenant_id, 'drift', a.id, 'person'
      from account a
     where a.tenant_id = new.tenant_id
       and a.identity_id = new.id
       and a.managed = 'managed';
    return null;
end $$;
-- +goose StatementEnd
comment on function identity_marks_shape is
    'Trigger on identity: queues the managed accounts of a person for comparison with their templates after the '
    'person changed.';

-- +goose StatementBegin
create function manager_marks_shape() returns trigger language plpgsql
as $$
begin
    insert into work_item (tenant_id, kind, subject, cause)
    select a.tenant_id, 'drift', a.id, 'person'
      from identity r
      join account a
        on a.tenant_id = r.tenant_id
       and a.identity_id = r.id
       and a.managed = 'managed'
     where r.tenant_id = new.tenant_id
       and r.manager_id = new.id;
    return null;
end $$;
-- +goose StatementEnd
comment on function manager_marks_shape is
    'Trigger on identity: queues the managed accounts of a person''s direct reports for comparison with their '
    'templates. It runs when the person''s display name, email, username or external ID changes.';

-- +goose StatementBegin
create function accounts_move_access() returns trigger language plpgsql
as $$
begin
    execute $sql$
        with moved as materialized (
            select distinct n.tenant_id, n.connector_id, who.identity_id
              from new_row n
              join old_row o
                on o.tenant_id = n.tenant_id
               and o.id = n.id
             cross join lateral (values (o.identity_id), (n.identity_id)) who (identity_id)
             where who.identity_id is not null
               and (o.identity_id is distinct from n.identity_id
                 or n.identity_id is not null and o.is_disabled is true and n.is_disabled is not true
                 or n.identity_id is not null and o.status in ('missing', 'deleted') and n.status in ('active', 'locked'))
        )
        insert into work_item (tenant_id, kind, subject)
        select distinct i.tenant_id, 'provisioning', i.id
          from moved m
          join identity i
            on i.tenant_id = m.tenant_id
           and i.id = m.identity_id
         where i.status in ('deactivated', 'archived', 'on_leave')
            or exists (select from access_reason r where r.tenant_id = i.tenant_id and r.identity_id = i.id and r.connector_id = m.connector_id and r.state = 'active')
    $sql$;
    return null;
end $$;
-- +goose StatementEnd
comment on function accounts_move_access is
    'Trigger on account: queues owners for provisioning after an account changed its owner, was enabled, or '
    'returned after it was missing or deleted.';

-- What a sync finds removed in the target although a reason asks for it, and what it finds there again that a reason of ours once asked
-- for, is for the planner to look at.
-- +goose StatementBegin
create function grant_marks_access() returns trigger language plpgsql
as $$
begin
    insert into work_item (tenant_id, kind, subject)
    select a.tenant_id, 'provisioning', a.identity_id
      from account a
     where a.tenant_id = new.tenant_id
       and a.id = new.account_id
       and a.identity_id is not null
       and exists (select from access_reason r
                    where r.tenant_id = a.tenant_id
                      and r.identity_id = a.identity_id
                      and r.entitlement_id = new.entitlement_id
                      and r.state = 'active') = (new.status = 'revoked');
    return null;
end $$;
-- +goose StatementEnd
comment on function grant_marks_access is
    'Trigger on access_grant: queues the owner for provisioning when a grant with an active reason was lost, or '
    'one without an active reason returned.';

-- +goose StatementBegin
create function account_removal_marks_access() returns trigger language plpgsql
as $$
begin
    insert into work_item (tenant_id, kind, subject)
    select new.tenant_id, 'provisioning', new.identity_id
     where exists (select from access_reason r
                    where r.tenant_id = new.tenant_id
                      and r.identity_id = new.identity_id
                      and r.connector_id = new.connector_id
                      and r.state = 'active');
    return null;
end $$;
-- +goose StatementEnd
comment on function account_removal_marks_access is
    'Trigger on account: queues the owner for provisioning when their account was deleted and an active reason '
    'requires access to that target system.';

-- An entitlement that is there again can be granted again.
-- +goose StatementBegin
create function entitlement_marks_access() returns trigger language plpgsql
as $$
begin
    insert into work_item (tenant_id, kind, subject)
    select distinct r.tenant_id, 'provisioning', r.identity_id
      from access_reason r
     where r.tenant_id = new.tenant_id
       and r.entitlement_id = new.id
       and r.state = 'active';
    return null;
end $$;
-- +goose StatementEnd
comment on function entitlement_marks_access is
    'Trigger on entitlement: queues people with an active reason for provisioning when a removed entitlement '
    'returns.';

-- One health model for a connector: reading it, and writing to it. Lists, heads and figures all use it.
-- +goose StatementBegin
create function connector_health(of uuid) returns jsonb language sql stable
as $$
    select jsonb_build_object(
               'reading', jsonb_build_object('state', r.state, 'since', r.since, 'cause', r.cause),
               'writing', jsonb_build_object('state', w.state, 'since', w.since, 'cause', w.cause),
               'overall', case when r.state in ('paused', 'disabled') then r.state
                               when w.state = 'stopped' then 'stopped'
                               when r.state in ('quarantined', 'degraded', 'failing') or w.state = 'waiting' then 'failing'
                               else r.state end)
      from connector c
      left join connector_provisioning p on p.tenant_id = c.tenant_id and p.connector_id = c.id
      left join provisioning_lane l on l.tenant_id = c.tenant_id and l.connector_id = c.id
      left join provisioning_switch s on s.tenant_id = c.tenant_id
      left join lateral (
           select u.status, u.error, u.finished_at
             from sync_run u
            where u.tenant_id = c.tenant_id and u.connector_id = c.id and u.purpose = 'apply'
              and u.status in ('succeeded', 'partial', 'failed', 'expired')
            order by u.created_at desc, u.id desc
            limit 1) last on true
     cross join lateral (
           select case when c.status = 'draft' then 'new'
                       when c.status in ('ready', 'active') and last.status in ('failed', 'expired') then 'failing'
                       when c.status = 'ready' then 'new'
                       when c.status = 'active' then 'healthy'
                       else c.status end as state,
                  case when c.status in ('ready', 'active') and last.status in ('failed', 'expired') then last.finished_at else c.status_since end as since,
                  case when c.status in ('ready', 'active') and last.status in ('failed', 'expired')
                       then left(coalesce(nullif(last.error ->> 'message', ''), last.error ->> 'code'), 500) else c.status_reason end as cause) r
     cross join lateral (
           select case when coalesce(p.write_mode, 'auto') <> 'auto' then p.write_mode
                       when p.breaker_open_since is not null then 'stopped'
                       when s.writes = false then 'switched_off'
                       when l.wait_until > now() and l.wait_code is not null then 'waiting'
                       else 'healthy' end as state,
                  coalesce(p.breaker_open_since, case when s.writes = false then s.changed_at end, l.wait_since) as since,
                  coalesce(case when p.breaker_open_since is not null then p.breaker_reason end, case when s.writes = false then s.reason end, l.wait_reason) as cause) w
     where c.tenant_id = current_tenant()
       and c.id = of
$$;
-- +goose StatementEnd
comment on function connector_health is
    'Returns the health of a connector as JSON. reading: new, healthy, failing, degraded, quarantined, paused, '
    'disabled or deleted. writing: healthy, waiting, stopped (circuit breaker open), switched_off, off, simulate '
    'or manual. overall: the reading state if paused or disabled, otherwise stopped, failing or the reading '
    'state.';

create trigger identity_marks_access after update on identity for each row
    when (old.status is distinct from new.status or old.urgent is distinct from new.urgent)
    execute function identity_marks_access();
create trigger identity_marks_shape after update on identity for each row
    when ((old.external_id, old.kind, old.employment_type, old.email, old.secondary_emails, old.username, old.first_name, old.middle_name, old.last_name,
           old.preferred_name, old.display_name, old.employee_number, old.department, old.division, old.organization, old.cost_center, old.title, old.job_code,
           old.job_family, old.location, old.country, old.locale, old.timezone, old.manager_id, old.manager_external_id, old.sponsor_id, old.backup_owner_id,
           old.hire_date, old.start_date, old.termination_date, old.last_working_at, old.leave_from, old.leave_to, old.status, old.attributes, old.labels)
      is distinct from
          (new.external_id, new.kind, new.employment_type, new.email, new.secondary_emails, new.username, new.first_name, new.middle_name, new.last_name,
           new.preferred_name, new.display_name, new.employee_number, new.department, new.division, new.organization, new.cost_center, new.title, new.job_code,
           new.job_family, new.location, new.country, new.locale, new.timezone, new.manager_id, new.manager_external_id, new.sponsor_id, new.backup_owner_id,
           new.hire_date, new.start_date, new.termination_date, new.last_working_at, new.leave_from, new.leave_to, new.status, new.attributes, new.labels))
    execute function identity_marks_shape();
create trigger manager_marks_shape after update on identity for each row
    when ((old.external_id, old.email, old.username, old.display_name) is distinct from (new.external_id, new.email, new.username, new.display_name))
    execute function manager_marks_shape();
create trigger account_marks_shape after update on account for each row
    when (new.managed = 'managed' and new.identity_id is not null and new.status in ('active', 'disabled', 'locked')
      and (old.managed <> 'managed' or old.identity_id is distinct from new.identity_id or old.status is distinct from new.status
        or old.username is distinct from new.username or old.email is distinct from new.email or old.display_name is distinct from new.display_name
        or old.first_name is distinct from new.first_name or old.last_name is distinct from new.last_name
        or old.employee_number is distinct from new.employee_number or old.attributes is distinct from new.attributes
        or old.native_identity is distinct from new.native_identity or old.row_hash = '\x' and new.row_hash <> '\x'
        or new.row_hash = '\x' and old.version is distinct from new.version))
    execute function account_marks_shape();
create trigger account_marks_shape_new after insert on account for each row
    when (new.managed = 'managed' and new.identity_id is not null and new.status in ('active', 'disabled', 'locked'))
    execute function account_marks_shape();
create trigger account_removal_marks_access after update of status on account for each row
    when (new.identity_id is not null and new.status = 'deleted' and old.status in ('active', 'locked', 'disabled', 'missing'))
    execute function account_removal_marks_access();
create trigger accounts_mark_access after insert on account referencing new table as added for each statement
    execute function accounts_mark_access();
create trigger accounts_move_access after update on account referencing old table as old_row new table as new_row
    for each statement execute function accounts_move_access();
create trigger entitlement_marks_access after update of removed_at on entitlement for each row
    when (old.removed_at is not null and new.removed_at is null)
    execute function entitlement_marks_access();
create trigger grant_marks_access after update of status on access_grant for each row
    when (new.wanted_at is not null
      and (new.status = 'revoked' and old.status in ('active', 'ending', 'missing')
        or new.status = 'active' and old.status in ('missing', 'revoked', 'failed')))
    execute function grant_marks_access();

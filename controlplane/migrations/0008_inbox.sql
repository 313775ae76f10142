-- +goose Up

-- Decision tasks, delegation, and what creates tasks.

-- Functions are created before the tables that they read.
set local check_function_bodies = off;

create table decision_task (
    tenant_id     uuid        not null references tenant,
    id            uuid        not null,
    kind          text        not null,
    key           text        not null,
    subject       jsonb       not null,
    subject_id    text        generated always as ((subject ->> 'id')) stored,
    source        jsonb       not null,
    source_id     text        generated always as ((source ->> 'id')) stored,
    title         text        not null,
    summary       text        not null default '',
    context       jsonb       not null default '{}',
    actions       jsonb       not null default '[]',
    roles         text[]      not null default '{}',
    not_for       uuid[]      not null default '{}',
    delegable     boolean     not null default true,
    reassignable  boolean     not null default true,
    reassign_to   uuid[]      not null default '{}',
    handed_on     boolean     not null default false,
    stranded      boolean     not null default false,
    state         text        not null default 'open',
    claimed_by    jsonb,
    claimed_at    timestamptz,
    priority      text        not null default 'normal',
    urgency       int         not null generated always as (
CASE priority
    WHEN 'low' THEN 1
    WHEN 'normal' THEN 2
    WHEN 'high' THEN 3
    ELSE 4
END) stored,
    risk_level    text,
    due_at        timestamptz,
    group_key     text,
    links         jsonb       not null default '[]',
    decision      jsonb,
    apply_at      timestamptz,
    closed_reason text,
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now(),
    decided_at    timestamptz,
    version       int         not null default 1,
    reminded_at   timestamptz,
    constraint decision_task_pk primary key (tenant_id, id),
    constraint decision_task_priority_known check (priority in ('low', 'normal', 'high', 'urgent')),
    constraint decision_task_risk_known check (risk_level in ('low', 'medium', 'high', 'critical')),
    constraint decision_task_state_known check (state in ('open', 'claimed', 'decided', 'expired', 'cancelled', 'superseded'))
);
comment on table decision_task is 'One decision task in the inbox. Rows are never deleted.';
comment on column decision_task.key is
    'Key of the question. For each kind, only one open task or undoable decision can have the same key.';
comment on column decision_task.roles is 'Roles whose members may decide the task in addition to the assignees.';
comment on column decision_task.not_for is
    'People who must not decide the task, regardless of their roles and delegations. For people without an '
    'identity, the list contains the user ID.';
comment on column decision_task.handed_on is
    'True if a person reassigned or escalated the task. If the same question is submitted again, its approvers do '
    'not change.';
comment on column decision_task.stranded is 'True if administrators were asked because no other approver remained.';
comment on column decision_task.apply_at is
    'When a decision that can still be undone takes effect. Null means that it has taken effect or that no '
    'decision is waiting.';
comment on column decision_task.reminded_at is 'When the assignees were last reminded. Null if never.';
call secure_tenant_table('decision_task', 'select, insert, update');
call readable_across('decision_task', 'tenant_id, state, apply_at');
create index decision_task_about on decision_task (tenant_id, subject_id);
create index decision_task_from on decision_task (tenant_id, source_id);
-- An inbox is found and put in order by this alone: looking at each of thousands of tasks would take most of the time.
create index decision_task_live on decision_task (tenant_id, id) include (due_at, urgency, created_at, kind) where state in ('open', 'claimed');
create index decision_task_of_group on decision_task (tenant_id, group_key) where state in ('open', 'claimed');
create index decision_task_of_roles on decision_task (tenant_id, id) where state in ('open', 'claimed') and roles <> '{}';
create unique index decision_task_open on decision_task (tenant_id, kind, key) where state in ('open', 'claimed') or apply_at is not null;
create index decision_task_waiting on decision_task (apply_at, tenant_id) where apply_at is not null;

create table decision_assignee (
    tenant_id   uuid        not null references tenant,
    task_id     uuid        not null,
    identity_id uuid        not null,
    via         text        not null default 'direct',
    acting_for  uuid,
    path        uuid[]      not null default '{}',
    open        boolean     not null default true,
    added_at    timestamptz not null default now(),
    dropped_at  timestamptz,
    constraint decision_assignee_pk primary key (tenant_id, task_id, identity_id),
    constraint decision_assignee_task foreign key (tenant_id, task_id) references decision_task (tenant_id, id) on delete cascade,
    constraint decision_assignee_via_known check (via in ('direct', 'delegate', 'fallback', 'escalation', 'reassigned'))
);
comment on table decision_assignee is 'One person who may decide a decision task.';
comment on column decision_assignee.path is
    'Delegations through which the person was added. When one of them ends, the person is removed.';
comment on column decision_assignee.open is
    'True while the task is undecided. It makes open tasks quick to find among many decided ones.';
comment on column decision_assignee.dropped_at is
    'When the person was removed from the task, because it was reassigned or their delegation ended. Null while '
    'they may decide it.';
call secure_tenant_table('decision_assignee', 'select, insert, update');
create index decision_assignee_delegated on decision_assignee (tenant_id, task_id) where dropped_at is null and open and path <> '{}';
create index decision_assignee_for_person on decision_assignee (tenant_id, acting_for, task_id) where dropped_at is null and acting_for is not null;
create index decision_assignee_inbox on decision_assignee (tenant_id, identity_id, task_id) where dropped_at is null and open;
create index decision_assignee_of_person on decision_assignee (tenant_id, identity_id, task_id) where dropped_at is null;

create table decision_event (
    tenant_id uuid        not null references tenant,
    task_id   uuid        not null,
    id        bigint      not null generated always as identity,
    at        timestamptz not null default now(),
    event     text        not null,
    by        jsonb       not null,
    detail    text        not null default '',
    constraint decision_event_pk primary key (tenant_id, task_id, id),
    constraint decision_event_task foreign key (tenant_id, task_id) references decision_task (tenant_id, id) on delete cascade
);
comment on table decision_event is 'One entry in the history of a decision task, as text. It includes comments.';
call secure_tenant_table('decision_event', 'select, insert');

create table decision_delegation (
    tenant_id    uuid        not null references tenant,
    id           uuid        not null,
    delegator_id uuid        not null,
    delegate_id  uuid        not null,
    kinds        text[]      not null default '{}',
    system_ids   uuid[]      not null default '{}',
    risk_levels  text[]      not null default '{}',
    condition    jsonb,
    sentence     text        not null default '',
    starts_at    timestamptz not null default now(),
    ends_at      timestamptz,
    include_open boolean     not null default true,
    reason       text        not null default '',
    source       text        not null default 'self',
    state        text        not null default 'scheduled',
    set_by       jsonb       not null default '{}',
    created_at   timestamptz not null default now(),
    updated_at   timestamptz not null default now(),
    version      int         not null default 1,
    constraint decision_delegation_pk primary key (tenant_id, id),
    constraint decision_delegation_source_known check (source in ('self', 'admin')),
    constraint decision_delegation_state_known check (state in ('scheduled', 'active', 'ended', 'revoked')),
    constraint decision_delegation_two check (delegator_id <> delegate_id)
);
comment on table decision_delegation is 'One delegation: a person decides on behalf of another person for a period.';
comment on column decision_delegation.kinds is
    'Kinds of decision task that the delegation covers. An empty list means all kinds.';
comment on column decision_delegation.system_ids is
    'Connectors that the delegation covers: all systems of a task must be among them. An empty list means all tasks.';
comment on column decision_delegation.risk_levels is
    'Risk levels of the tasks that the delegation covers. An empty list means all tasks.';
comment on column decision_delegation.condition is
    'Condition that the person of a task must meet. Null means all tasks.';
comment on column decision_delegation.sentence is 'The condition in words. It is empty without a condition.';
call secure_tenant_table('decision_delegation', 'select, insert, update');
call readable_across('decision_delegation', 'tenant_id, starts_at, ends_at, state');
create index decision_delegation_live on decision_delegation (tenant_id, delegator_id) where state in ('scheduled', 'active');
create index decision_delegation_to on decision_delegation (tenant_id, delegate_id) where state in ('scheduled', 'active');

create table decision_kept (
    tenant_id  uuid        not null references tenant,
    kind       text        not null,
    source_id  uuid        not null,
    about      text        not null,
    until      timestamptz,
    comment    text        not null default '',
    decided_by jsonb       not null default '{}',
    decided_at timestamptz not null default now(),
    constraint decision_kept_pk primary key (tenant_id, kind, source_id)
);
comment on table decision_kept is
    'A person''s decision to leave a condition as it is. No decision task is created for it before the column '
    'until, unless the condition changes.';
comment on column decision_kept.about is
    'What the decision applies to, such as the account''s owner at that time. If this changes, the decision no '
    'longer applies.';
comment on column decision_kept.until is
    'When the decision ends. Null means that it applies until the condition changes.';
call secure_tenant_table('decision_kept', 'select, insert, update');

-- Whoever hands a task on finds colleagues by their names. Words are rows of their own, found by an ordinary index: row security lets
-- planners use no operator of text search with one. Kept are the words of those alone who have a user, since nobody else can be handed
-- anything; so a sync of a hundred thousand people, of whom none signs in yet, writes none.
create table decision_colleague_word (
    tenant_id   uuid not null,
    word        text collate "C" not null,
    identity_id uuid not null,
    constraint decision_colleague_word_pk primary key (tenant_id, identity_id, word)
);
comment on table decision_colleague_word is
    'One word in the name of a person with a user account, used to find recipients when a task is reassigned. '
    'Triggers maintain it. There is no foreign key, because the check would cost more than the word.';
call secure_tenant_table('decision_colleague_word', 'select, insert, delete');
create index decision_colleague_word_by_word on decision_colleague_word (tenant_id, word, identity_id);

create table finding_day (
    tenant_id uuid   not null references tenant,
    day       date   not null,
    kind      text   not null,
    count     bigint not null,
    constraint finding_day_pk primary key (tenant_id, day, kind)
);
comment on table finding_day is
    'Daily count of one kind of dashboard finding, used for trends. Rows are deleted after 400 days.';
call secure_tenant_table('finding_day');
call readable_across('finding_day');

-- Who has left is enqueued where it becomes true, whichever way that is: an administrator, a source, a date, a merge.
-- +goose StatementBegin
create function decision_note_leaver() returns trigger language plpgsql
as $$
begin
    if exists (select from decision_assignee a
                where a.tenant_id = new.tenant_id and a.identity_id = new.id and a.dropped_at is null and a.open)
       or exists (select from decision_delegation d
                   where d.tenant_id = new.tenant_id and d.state in ('scheduled', 'active') and d.delegator_id = new.id)
       or exists (select from decision_delegation d
                   where d.tenant_id = new.tenant_id and d.state in ('scheduled', 'active') and d.delegate_id = new.id) then
        perform enqueue_work('decision_leavers', array[new.id], 'left');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function decision_note_leaver is
    'Trigger on identity: enqueues a person when they are deactivated or archived while they have open decision '
    'tasks or delegations.';

-- Five hundred decisions are five hundred entries of the log. One after the other, each would look for the head's row among all that the
-- same transaction has left of it.
-- +goose StatementBegin
create function audit_append_all(before_seqs text[], before_times text[]) returns bigint language plpgsql security definer
    set search_path = public, pg_temp
as $$
declare
    tenant uuid := current_tenant();
    n      bigint;
    prev   bytea;
    now_is timestamptz;
    line   text;
    seqs   bigint[] := '{}';
    lines  text[] := '{}';
    prevs  bytea[] := '{}';
    hashes bytea[] := '{}';
    times  timestamptz[] := '{}';
begin
    loop
        select seq, hash into n, prev from audit_head where tenant_id = tenant for update;
        exit when found;
        insert into audit_head (tenant_id) values (tenant) on conflict do nothing;
    end loop;
    for i in 1 .. cardinality(before_seqs) loop
        n := n + 1;
        now_is := date_trunc('milliseconds', clock_timestamp());
        line := before_seqs[i] || n || before_times[i] || to_char(now_is at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}';
        seqs[i] := n;
        lines[i] := line;
        prevs[i] := prev;
        times[i] := now_is;
        prev := sha256('\x4947412d41554449542d563100'::bytea || prev || convert_to(line, 'UTF8'));
        hashes[i] := prev;
    end loop;
    insert into audit_event (tenant_id, seq, event, prev_hash, hash, at, action, category, outcome, actor_type, actor_id, subject_type, subject_id, request_id)
    select tenant, u.seq, u.line, u.prev, u.hash, u.at, b.body ->> 'action', b.body ->> 'category', b.body ->> 'outcome', b.body -> 'actor' ->> 'type', b.body -> 'actor' ->> 'id',
           coalesce(b.body -> 'subject' ->> 'type', ''), b.body -> 'subject' ->> 'id', b.body -> 'context' ->> 'request_id'
      from unnest(seqs, lines, prevs, hashes, times) u (seq, line, prev, hash, at)
     cross join lateral (select u.line::jsonb as body offset 0) b
     order by u.seq;
    update audit_head set seq = n, hash = prev where tenant_id = tenant;
    return n;
end $$;
-- +goose StatementEnd
comment on function audit_append_all is
    'Adds several entries to the audit log in their order, like audit_append(). Returns the sequence number of '
    'the last one.';
revoke all on function audit_append_all from public;
grant execute on function audit_append_all to grantwright_app;

-- +goose StatementBegin
create function enqueue_inbox(what text, source uuid, pause interval DEFAULT '00:00:00') returns void language plpgsql
as $$
begin
    perform enqueue_work('inbox_' || what, array[source], delay => pause);
end $$;
-- +goose StatementEnd
comment on function enqueue_inbox is
    'Queues one condition, which may need a decision task, for processing after an optional delay.';

-- Requirement gaps.
-- +goose StatementBegin
create function requirement_gap_enters_inbox() returns trigger language plpgsql
as $$
begin
    perform enqueue_inbox('requirement_gap', new.id);
    return null;
end $$;
-- +goose StatementEnd
comment on function requirement_gap_enters_inbox is
    'Trigger on requirement_gap: queues the gap for a decision task when it is found, changes, or is settled.';
create trigger requirement_gap_enters_inbox_again after update on requirement_gap
    for each row when (old.state <> new.state or old.missing <> new.missing) execute function requirement_gap_enters_inbox();
create trigger requirement_gap_enters_inbox_first after insert on requirement_gap
    for each row execute function requirement_gap_enters_inbox();

-- Access that policies no longer give.
-- +goose StatementBegin
create function policy_review_enters_inbox() returns trigger language plpgsql
as $$
begin
    perform enqueue_inbox('lifecycle_exception', new.id);
    return null;
end $$;
-- +goose StatementEnd
comment on function policy_review_enters_inbox is
    'Trigger on policy_review: queues the review for a decision task when it is opened, changes, or is settled.';
create trigger policy_review_enters_inbox_again after update on policy_review
    for each row when (old.state <> new.state or old.reason_ids <> new.reason_ids) execute function policy_review_enters_inbox();
create trigger policy_review_enters_inbox_first after insert on policy_review
    for each row execute function policy_review_enters_inbox();

-- Whom policies ask when the organization changes.
-- +goose StatementBegin
create function policy_tasks_live() returns boolean language sql stable
as $$
    select exists (select from requirement_gap g where g.tenant_id = current_tenant() and g.state = 'open')
        or exists (select from policy_review r where r.tenant_id = current_tenant() and r.state = 'open')
$$;
-- +goose StatementEnd
comment on function policy_tasks_live is
    'Returns whether the tenant has open requirement gaps or policy reviews. If not, changes in the organization are '
    'not queued for their decision tasks.';

-- +goose StatementBegin
create function enqueue_policy_tasks(people uuid[]) returns void language plpgsql
as $$
begin
    perform enqueue_work('inbox_requirement_gap', array(
        select g.id from requirement_gap g where g.tenant_id = current_tenant() and g.state = 'open' and g.identity_id = any (people)));
    perform enqueue_work('inbox_lifecycle_exception', array(
        select r.id from policy_review r where r.tenant_id = current_tenant() and r.state = 'open' and r.identity_id = any (people)));
end $$;
-- +goose StatementEnd
comment on function enqueue_policy_tasks is
    'Queues the open requirement gaps and policy reviews of people, so that their decision tasks ask the right manager.';

-- +goose StatementBegin
create function person_moves_policy_tasks() returns trigger language plpgsql
    set enable_nestloop = off
as $$
begin
    if policy_tasks_live() then
        perform enqueue_policy_tasks(array(
            select n.id
              from new_row n
              join old_row o on o.tenant_id = n.tenant_id and o.id = n.id
             where o.manager_id is distinct from n.manager_id
                or o.display_name is distinct from n.display_name
             union
            select r.id
              from new_row n
              join old_row o on o.tenant_id = n.tenant_id and o.id = n.id
              join identity r on r.tenant_id = n.tenant_id and r.manager_id = n.id
             where o.status <> n.status));
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function person_moves_policy_tasks is
    'Trigger on identity: queues the open requirement gaps and policy reviews of people whose manager or name changes, '
    'and of those whose manager joins, leaves or returns.';
create trigger person_moves_policy_tasks after update on identity referencing old table as old_row new table as new_row
    for each statement execute function person_moves_policy_tasks();

-- +goose StatementBegin
create function user_moves_policy_tasks() returns trigger language plpgsql
as $$
begin
    if policy_tasks_live() then
        perform enqueue_policy_tasks(array(
            select i.id
              from identity i
             where i.tenant_id = new.tenant_id
               and i.manager_id in (new.identity_id, case when tg_op = 'UPDATE' then old.identity_id end)));
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function user_moves_policy_tasks is
    'Trigger on app_user: queues the open requirement gaps and policy reviews of the reports of a person who can sign '
    'in from now on, or no longer.';
create trigger user_moves_policy_tasks_again after update on app_user
    for each row when ((old.status, old.identity_id, old.deleted_at) is distinct from (new.status, new.identity_id, new.deleted_at))
    execute function user_moves_policy_tasks();
create trigger user_moves_policy_tasks_first after insert on app_user
    for each row execute function user_moves_policy_tasks();

-- Held runs.
-- +goose StatementBegin
create function run_enters_inbox() returns trigger language plpgsql
as $$
begin
    perform enqueue_inbox('sync_hold', new.id);
    return null;
end $$;
-- +goose StatementEnd
comment on function run_enters_inbox is
    'Trigger on sync_run: queues the run for a decision task when it becomes a held sync run or stops being one.';

-- Changed fields.
-- +goose StatementBegin
create function schema_diff_enters_inbox() returns trigger language plpgsql
as $$
begin
    perform enqueue_inbox('schema_diff', new.id);
    return null;
end $$;
-- +goose StatementEnd
comment on function schema_diff_enters_inbox is
    'Trigger on schema_diff: queues a new or changed schema difference for a decision task.';

-- Conflicts of packs.
-- +goose StatementBegin
create function conflict_enters_inbox() returns trigger language plpgsql
as $$
begin
    perform enqueue_inbox('pack_conflict', new.id);
    return null;
end $$;
-- +goose StatementEnd
comment on function conflict_enters_inbox is
    'Trigger on sector_pack_conflict: queues a new or changed pack conflict for a decision task.';

-- Grants that came back by themselves.
-- +goose StatementBegin
create function grant_enters_inbox() returns trigger language plpgsql
as $$
begin
    perform enqueue_inbox('native_grant', new.id);
    return null;
end $$;
-- +goose StatementEnd
comment on function grant_enters_inbox is
    'Trigger on access_grant: queues a grant for a decision task when the column reappeared changes, or when the '
    'status of a reappeared grant changes.';

-- Changes that somebody has to make by hand, or that failed. An account that is being disabled or deleted is no orphan to ask about.
-- +goose StatementBegin
create function tasks_enter_inbox() returns trigger language plpgsql
as $$
begin
    insert into work_item (tenant_id, kind, subject)
    select n.tenant_id, case n.state when 'manual' then 'inbox_manual_provisioning' else 'inbox_provisioning_failure' end, n.id
      from new_row n
     where n.state in ('manual', 'failed')
     union all
    select n.tenant_id, 'inbox_orphan_account', n.account_id
      from new_row n
     where n.operation in ('disable', 'delete_account')
       and n.account_id is not null
       and n.mode <> 'simulate';
    return null;
end $$;
-- +goose StatementEnd
comment on function tasks_enter_inbox is
    'Trigger on provisioning_task: queues new manual and failed tasks for decision tasks. It also queues the '
    'accounts of new tasks that disable or delete an account.';

-- +goose StatementBegin
create function task_enters_inbox() returns trigger language plpgsql
as $$
begin
    if 'manual' in (old.state, new.state) then
        perform enqueue_inbox('manual_provisioning', new.id);
    end if;
    if 'failed' in (old.state, new.state) then
        perform enqueue_inbox('provisioning_failure', new.id);
    end if;
    if new.state = 'cancelled' and new.account_id is not null then
        perform enqueue_inbox('orphan_account', new.account_id);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function task_enters_inbox is
    'Trigger on provisioning_task: queues a task for a decision task when it enters or leaves the state manual or '
    'failed. It also queues the account of a canceled task.';

-- Accounts with several owners or none. A first load inserts and links them by the hundred thousand, so a statement is looked at as a
-- whole, and adds rows for those alone that are, or were, subject of a decision task.
-- +goose StatementBegin
create function accounts_enter_inbox() returns trigger language plpgsql
    set enable_nestloop = off
as $$
declare
    patience interval := make_interval(days => (select coalesce((t.settings ->> 'orphan_after_days')::int, 30) from tenant t where t.id = current_tenant()));
begin
    if current_setting('app.erasing', true) = 'yes' then
        return null;
    end if;
    if tg_op = 'INSERT' then
        insert into work_item (tenant_id, kind, subject)
        select n.tenant_id, 'inbox_account_correlation', n.id
          from new_row n
         where n.correlation_state = 'disputed'
         union all
        select n.tenant_id, 'inbox_orphan_account', n.id
          from new_row n
         where n.status in ('active', 'locked', 'missing')
           and n.correlation_state <> 'ignored'
           and case when n.identity_id is null
                    then n.account_type in ('service', 'shared', 'system', 'bot', 'ai_agent', 'break_glass') or n.first_seen_at <= now() - patience
                    else exists (select from identity i where i.tenant_id = n.tenant_id and i.id = n.identity_id and i.status in ('deactivated', 'archived')) end;
    else
        insert into work_item (tenant_id, kind, subject)
        select n.tenant_id, 'inbox_account_correlation', n.id
          from new_row n
          join old_row o
            on o.tenant_id = n.tenant_id
           and o.id = n.id
         where o.correlation_state <> n.correlation_state and 'disputed' in (o.correlation_state, n.correlation_state)
            or n.correlation_state = 'disputed' and (o.correlation, o.status = 'deleted') is distinct from (n.correlation, n.status = 'deleted')
         union all
        select n.tenant_id, 'inbox_orphan_account', n.id
          from new_row n
          join old_row o
            on o.tenant_id = n.tenant_id
           and o.id = n.id
         where (o.identity_id, o.status, o.is_disabled, o.correlation_state, o.account_type)
               is distinct from (n.identity_id, n.status, n.is_disabled, n.correlation_state, n.account_type)
           and (case when n.status not in ('active', 'locked', 'missing') or n.correlation_state = 'ignored' then false
                     when n.identity_id is null
                     then n.account_type in ('service', 'shared', 'system', 'bot', 'ai_agent', 'break_glass') or n.correlation ? 'previous_owner'
                          or coalesce(n.unowned_since, n.first_seen_at) <= now() - patience
                     else exists (select from identity i where i.tenant_id = n.tenant_id and i.id = n.identity_id and i.status in ('deactivated', 'archived')) end
             or case when o.status not in ('active', 'locked', 'missing') or o.correlation_state = 'ignored' then false
                     when o.identity_id is null
                     then o.account_type in ('service', 'shared', 'system', 'bot', 'ai_agent', 'break_glass') or o.correlation ? 'previous_owner'
                          or coalesce(o.unowned_since, o.first_seen_at) <= now() - patience
                     else exists (select from identity i where i.tenant_id = o.tenant_id and i.id = o.identity_id and i.status in ('deactivated', 'archived')) end);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function accounts_enter_inbox is
    'Trigger on account: queues accounts for decision tasks when they become, or stop being, disputed, orphaned '
    'or without an owner for too long.';

-- The accounts of whoever leaves are disabled by rule where that can be; half a minute later those that still can be used are asked about.
-- +goose StatementBegin
create function leaver_enters_inbox() returns trigger language plpgsql
as $$
begin
    if current_setting('app.erasing', true) = 'yes' then
        return null;
    end if;
    insert into work_item (tenant_id, kind, subject, due_at)
    select a.tenant_id, 'inbox_orphan_account', a.id,
           now() + case when new.status in ('deactivated', 'archived') then interval '30 seconds' else interval '0' end
      from account a
     where a.tenant_id = new.tenant_id
       and a.identity_id = new.id
       and a.status in ('active', 'locked', 'missing');
    return null;
end $$;
-- +goose StatementEnd
comment on function leaver_enters_inbox is
    'Trigger on identity: queues a person''s usable accounts for a check as orphan accounts when the person leaves '
    'or returns. After a departure it waits 30 seconds, so that provisioning can act first.';

-- +goose StatementBegin
create function orphan_days_are_others() returns trigger language plpgsql
as $$
begin
    perform enqueue_work('inbox_sweep', array['00000000-0000-0000-0000-000000000000'::uuid], 'settings');
    return null;
end $$;
-- +goose StatementEnd
comment on function orphan_days_are_others is
    'Trigger on tenant: requests a new check of all conditions when the number of days that accounts may be '
    'without an owner changes.';

-- +goose StatementBegin
create function decision_name_words(said text) returns text[] language sql immutable parallel safe
as $$ select catalog_words(said) $$;
-- +goose StatementEnd
comment on function decision_name_words is 'Returns the words by which a name is found, with and without accents.';

-- +goose StatementBegin
create function decision_take_colleague(one uuid) returns void language plpgsql
as $$
begin
    -- Whoever links a user waits for whoever changes the name meanwhile, and the other way round: the later of the two sees both.
    perform from identity i where i.id = one for share;
    delete from decision_colleague_word w where w.identity_id = one;
    insert into decision_colleague_word (tenant_id, identity_id, word)
    select i.tenant_id, i.id, t.word
      from identity i
     cross join lateral unnest(decision_name_words(i.display_name)) t (word)
     where i.id = one
       and exists (select from app_user u where u.identity_id = one);
end $$;
-- +goose StatementEnd
comment on function decision_take_colleague is 'Rebuilds the search words of one person.';

-- +goose StatementBegin
create function decision_colleague_follows() returns trigger language plpgsql
as $$
begin
    if tg_table_name = 'identity' then
        if exists (select from app_user u where u.identity_id = new.id) then
            perform decision_take_colleague(new.id);
        end if;
        return null;
    end if;
    if tg_op <> 'INSERT' and old.identity_id is not null then
        perform decision_take_colleague(old.identity_id);
    end if;
    if tg_op <> 'DELETE' and new.identity_id is not null then
        perform decision_take_colleague(new.identity_id);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function decision_colleague_follows is
    'Trigger on identity and app_user: updates the search words of people after a name, a user account or its '
    'link changed.';

-- A leaver's account that stays usable is for people to see, also while the change is tried on.
-- +goose StatementBegin
create function escalation_enters_inbox() returns trigger language plpgsql
as $$
begin
    perform enqueue_inbox('provisioning_failure', new.id);
    return null;
end $$;
-- +goose StatementEnd
comment on function escalation_enters_inbox is
    'Trigger on provisioning_task: queues a task for a decision task when it is escalated, or when the state of '
    'an escalated task changes.';

-- +goose StatementBegin
create function decision_note_user_gone() returns trigger language plpgsql
as $$
begin
    if exists (select from decision_assignee a
                where a.tenant_id = old.tenant_id and a.identity_id = old.identity_id and a.dropped_at is null and a.open) then
        perform enqueue_work('decision_leavers', array[old.identity_id], 'user_gone');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function decision_note_user_gone is
    'Trigger on app_user: enqueues a person with open decision tasks when their user account is disabled, deleted '
    'or unlinked.';

-- Another policy of a connector has what was found looked at again.
-- +goose StatementBegin
create function native_policy_enters_inbox() returns trigger language plpgsql
as $$
begin
    insert into work_item (tenant_id, kind, subject)
    select new.tenant_id, 'inbox_native_grant', new.connector_id
     union all
    select g.tenant_id, 'inbox_native_grant', g.id
      from access_grant g
     where g.tenant_id = new.tenant_id and g.connector_id = new.connector_id and g.reappeared;
    return null;
end $$;
-- +goose StatementEnd
comment on function native_policy_enters_inbox is
    'Trigger on connector_provisioning: queues the connector and its reappeared grants for decision tasks when '
    'the native grant policy changes.';

-- +goose StatementBegin
create function breaker_enters_inbox() returns trigger language plpgsql
as $$
begin
    perform enqueue_inbox('breaker_open', new.connector_id);
    return null;
end $$;
-- +goose StatementEnd
comment on function breaker_enters_inbox is
    'Trigger on connector_provisioning: queues the connector for a decision task when its circuit breaker opens '
    'or closes. The task is created or closed accordingly.';

create trigger orphan_days_are_others after update on tenant for each row
    when ((old.settings ->> 'orphan_after_days') is distinct from (new.settings ->> 'orphan_after_days'))
    execute function orphan_days_are_others();
create trigger decision_colleague_joins after insert or delete on app_user for each row execute function decision_colleague_follows();
create trigger decision_colleague_linked after update of identity_id on app_user for each row
    when (new.identity_id is distinct from old.identity_id) execute function decision_colleague_follows();
create trigger decision_user_gone after update on app_user
    for each row when (old.identity_id is not null
                       and (new.status = 'disabled' and old.status <> 'disabled'
                         or new.identity_id is distinct from old.identity_id
                         or new.deleted_at is not null and old.deleted_at is null))
    execute function decision_note_user_gone();
create trigger decision_colleague_renamed after update of display_name on identity for each row
    when (new.display_name is distinct from old.display_name) execute function decision_colleague_follows();
create trigger decision_leaver after update of status on identity for each row
    when (new.status in ('deactivated', 'archived') and old.status is distinct from new.status) execute function decision_note_leaver();
create trigger leaver_enters_inbox after update on identity for each row
    when (old.status is distinct from new.status
      and (old.status in ('deactivated', 'archived') or new.status in ('deactivated', 'archived')))
    execute function leaver_enters_inbox();
create trigger accounts_enter_inbox_again after update on account referencing old table as old_row new table as new_row
    for each statement execute function accounts_enter_inbox();
create trigger accounts_enter_inbox_first after insert on account referencing new table as new_row
    for each statement execute function accounts_enter_inbox();
create trigger grant_enters_inbox after update on access_grant for each row
    when (old.reappeared is distinct from new.reappeared or new.reappeared and old.status is distinct from new.status)
    execute function grant_enters_inbox();
create trigger run_enters_inbox after update on sync_run for each row
    when (old.status is distinct from new.status and (old.status = 'held' or new.status = 'held'))
    execute function run_enters_inbox();
create trigger schema_diff_enters_inbox_again after update on schema_diff for each row
    when (old.version is distinct from new.version)
    execute function schema_diff_enters_inbox();
create trigger schema_diff_enters_inbox_first after insert on schema_diff for each row execute function schema_diff_enters_inbox();
create trigger escalation_enters_inbox after update on provisioning_task for each row
    when (new.escalated_at is not null and (old.escalated_at is null or old.state is distinct from new.state))
    execute function escalation_enters_inbox();
create trigger task_enters_inbox after update on provisioning_task for each row
    when (old.state is distinct from new.state
      and (old.state in ('manual', 'failed') or new.state in ('manual', 'failed')
        or new.state = 'cancelled' and new.operation in ('disable', 'delete_account'))
       or new.state in ('manual', 'failed') and old.version is distinct from new.version)
    execute function task_enters_inbox();
create trigger tasks_enter_inbox after insert on provisioning_task referencing new table as new_row
    for each statement execute function tasks_enter_inbox();
create trigger breaker_enters_inbox_again after update on connector_provisioning for each row
    when (old.breaker_open_since is distinct from new.breaker_open_since) execute function breaker_enters_inbox();
create trigger breaker_enters_inbox_first after insert on connector_provisioning for each row
    when (new.breaker_open_since is not null) execute function breaker_enters_inbox();
create trigger native_policy_enters_inbox_again after update on connector_provisioning for each row
    when (old.native_grant_policy is distinct from new.native_grant_policy) execute function native_policy_enters_inbox();
create trigger native_policy_enters_inbox_first after insert on connector_provisioning for each row
    when (new.native_grant_policy is not null) execute function native_policy_enters_inbox();
create trigger conflict_enters_inbox_again after update on sector_pack_conflict for each row
    when (old.version is distinct from new.version or old.state is distinct from new.state)
    execute function conflict_enters_inbox();
create trigger conflict_enters_inbox_first after insert on sector_pack_conflict for each row execute function conflict_enters_inbox();

-- +goose Up

create table decision_task (
    tenant_id     uuid        not null references tenant,
    id            uuid        not null,
    kind          text        not null,
    key           text        not null,
    subject       jsonb       not null,
    subject_id    text        generated always as (subject ->> 'id') stored,
    source        jsonb       not null,
    source_id     text        generated always as (source ->> 'id') stored,
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
    urgency       int         not null generated always as (case priority when 'low' then 1 when 'normal' then 2 when 'high' then 3 else 4 end) stored,
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
    constraint decision_task_pk primary key (tenant_id, id),
    constraint decision_task_state_known check (state in ('open', 'claimed', 'decided', 'expired', 'cancelled', 'superseded')),
    constraint decision_task_priority_known check (priority in ('low', 'normal', 'high', 'urgent')),
    constraint decision_task_risk_known check (risk_level in ('low', 'medium', 'high', 'critical'))
);
comment on table decision_task is 'One thing that somebody has to decide. Rows are never deleted.';
comment on column decision_task.key is 'What is asked: of a kind, one task that is open, or whose decision can still be undone, has it.';
comment on column decision_task.roles is 'Whoever has one of these roles may decide, beside the assignees.';
comment on column decision_task.not_for is 'People who never decide it, whatever their roles and whoever delegates to them; of those who have no record of their own, the user.';
comment on column decision_task.handed_on is 'Somebody has reassigned or escalated it: asking again leaves who decides as it is.';
comment on column decision_task.stranded is 'Administrators are asked because nobody else was left.';
comment on column decision_task.apply_at is 'When a decision takes effect that can still be undone; null: it has.';
call secure_tenant_table('decision_task', 'select, insert, update');
call readable_across('decision_task', 'tenant_id, state, apply_at');
create unique index decision_task_open on decision_task (tenant_id, kind, key) where state in ('open', 'claimed') or apply_at is not null;
-- An inbox is found and put in order by this alone: looking at each of thousands of tasks would take most of the time.
create index decision_task_live on decision_task (tenant_id, id) include (due_at, urgency, created_at, kind) where state in ('open', 'claimed');
create index decision_task_of_roles on decision_task (tenant_id, id) where state in ('open', 'claimed') and roles <> '{}';
create index decision_task_of_group on decision_task (tenant_id, group_key) where state in ('open', 'claimed');
create index decision_task_waiting on decision_task (apply_at, tenant_id) where apply_at is not null;
create index decision_task_about on decision_task (tenant_id, subject_id);
create index decision_task_from on decision_task (tenant_id, source_id);

create table decision_assignee (
    tenant_id     uuid        not null references tenant,
    task_id       uuid        not null,
    identity_id   uuid        not null,
    via           text        not null default 'direct',
    acting_for    uuid,
    path          uuid[]      not null default '{}',
    open          boolean     not null default true,
    added_at      timestamptz not null default now(),
    dropped_at    timestamptz,
    constraint decision_assignee_pk primary key (tenant_id, task_id, identity_id),
    constraint decision_assignee_task foreign key (tenant_id, task_id) references decision_task (tenant_id, id) on delete cascade,
    constraint decision_assignee_via_known check (via in ('direct', 'delegate', 'fallback', 'escalation', 'reassigned'))
);
comment on table decision_assignee is 'Who may decide a task.';
comment on column decision_assignee.path is 'The delegations by which they were added; when one of them ends, they are taken away.';
comment on column decision_assignee.open is 'The task waits for a decision, so that an inbox is found without looking at what was decided long ago.';
comment on column decision_assignee.dropped_at is 'Since when no longer: it was reassigned, or their delegation ended.';
call secure_tenant_table('decision_assignee', 'select, insert, update');
create index decision_assignee_inbox on decision_assignee (tenant_id, identity_id, task_id) where dropped_at is null and open;
create index decision_assignee_of_person on decision_assignee (tenant_id, identity_id, task_id) where dropped_at is null;
create index decision_assignee_delegated on decision_assignee (tenant_id, task_id) where dropped_at is null and open and path <> '{}';
create index decision_assignee_for_person on decision_assignee (tenant_id, acting_for, task_id) where dropped_at is null and acting_for is not null;

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
comment on table decision_event is 'What happened to a task, in words: its history, and what people said about it.';
call secure_tenant_table('decision_event', 'select, insert');

create table decision_delegation (
    tenant_id    uuid        not null references tenant,
    id           uuid        not null,
    delegator_id uuid        not null,
    delegate_id  uuid        not null,
    kinds        text[]      not null default '{}',
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
    constraint decision_delegation_state_known check (state in ('scheduled', 'active', 'ended', 'revoked')),
    constraint decision_delegation_source_known check (source in ('self', 'admin')),
    constraint decision_delegation_two check (delegator_id <> delegate_id)
);
comment on table decision_delegation is 'Somebody decides for somebody else, for a time.';
comment on column decision_delegation.kinds is 'The kinds of task; none: all.';
call secure_tenant_table('decision_delegation', 'select, insert, update');
call readable_across('decision_delegation', 'tenant_id, state, starts_at, ends_at');
create index decision_delegation_live on decision_delegation (tenant_id, delegator_id) where state in ('scheduled', 'active');
create index decision_delegation_to on decision_delegation (tenant_id, delegate_id) where state in ('scheduled', 'active');

-- Who has left is noted where it becomes true, whichever way that is: an administrator, a source, a date, a merge.
create table decision_leaver (
    tenant_id   uuid        not null references tenant,
    id          bigint      not null generated always as identity,
    identity_id uuid        not null,
    constraint decision_leaver_pk primary key (tenant_id, id)
);
comment on table decision_leaver is 'People who were deactivated and whose tasks have to be looked at. The inbox takes the rows.';
call secure_tenant_table('decision_leaver', 'select, insert, delete');
call readable_across('decision_leaver', 'tenant_id');

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
        insert into decision_leaver (tenant_id, identity_id) values (new.tenant_id, new.id);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function decision_note_leaver() is 'Notes somebody who is gone and has tasks, or delegations.';
create trigger decision_leaver after update of status on identity for each row
    when (new.status in ('deactivated', 'archived') and old.status is distinct from new.status) execute function decision_note_leaver();

-- Five hundred decisions are five hundred entries of the log. One after the other, each would look for the head's row among all that the
-- same transaction has left of it.
-- +goose StatementBegin
create function audit_append_all(before_seqs text[], before_times text[]) returns bigint language plpgsql volatile security definer
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
comment on function audit_append_all(text[], text[]) is 'Is audit_append for many entries, in their order.';
revoke all on function audit_append_all(text[], text[]) from public;
grant execute on function audit_append_all(text[], text[]) to grantwright_app;

-- +goose Up

create table chain (
    tenant_id      uuid        not null references tenant,
    item_id        uuid        not null,
    request_id     uuid        not null,
    number         text        not null,
    beneficiary_id uuid        not null,
    role_id        uuid,
    entitlement_id uuid,
    subject        jsonb       not null,
    plan           jsonb       not null,
    shown          jsonb       not null default '{}',
    state          text        not null default 'running',
    stage          int         not null default 0,
    starts_at      timestamptz,
    ends_at        timestamptz,
    expires_at     timestamptz not null,
    look_at        timestamptz not null,
    turned         boolean     not null default false,
    left_tasks     text[]      not null default '{}',
    created_at     timestamptz not null default now(),
    updated_at     timestamptz not null default now(),
    closed_at      timestamptz,
    constraint chain_pk primary key (tenant_id, item_id),
    constraint chain_state_known check (state in ('running', 'blocked', 'approved', 'rejected', 'expired', 'cancelled'))
);
comment on table chain is 'The approvals of one item of an access request, from its submission until it is decided.';
comment on column chain.plan is 'The stages as they were resolved when the request was submitted. Who stands in a stage is resolved anew when it opens and when the organisation changes.';
comment on column chain.shown is 'What approvers are shown beside the plan: what is asked for, by whom, for whom.';
comment on column chain.starts_at is 'Where an approver changed it; null: nobody has.';
comment on column chain.ends_at is 'Where an approver shortened it; null: nobody has.';
comment on column chain.look_at is 'When something comes with time next: a reminder, an escalation, the end of a wait, the expiry.';
comment on column chain.turned is 'The organisation has changed around it: who stands in its open stage has to be resolved anew.';
comment on column chain.left_tasks is 'Tasks that are over but were in somebody''s hands at that moment; they are closed at the next look.';
call secure_tenant_table('chain', 'select, insert, update');
call readable_across('chain', 'tenant_id, state, look_at, left_tasks');
create index chain_live on chain (tenant_id, look_at) where state in ('running', 'blocked') or left_tasks <> '{}';
create index chain_by_request on chain (tenant_id, request_id);

create table chain_stage (
    tenant_id   uuid        not null references tenant,
    item_id     uuid        not null,
    stage       int         not null,
    state       text        not null default 'waiting',
    needed      int[]       not null default '{}',
    wait_since  timestamptz,
    wait_until  timestamptz,
    wait_task   uuid,
    waited      boolean     not null default false,
    opened_at   timestamptz,
    due_at      timestamptz,
    closed_at   timestamptz,
    remind_at   timestamptz[] not null default '{}',
    reminded    int         not null default 0,
    escalate_at timestamptz[] not null default '{}',
    escalated   int         not null default 0,
    escalations jsonb       not null default '[]',
    constraint chain_stage_pk primary key (tenant_id, item_id, stage),
    constraint chain_stage_chain foreign key (tenant_id, item_id) references chain (tenant_id, item_id) on delete cascade,
    constraint chain_stage_state_known check (state in ('waiting', 'open', 'approved', 'rejected', 'skipped', 'expired', 'cancelled'))
);
comment on table chain_stage is 'One stage of a chain. What it is defined as stands in the chain''s plan.';
comment on column chain_stage.needed is 'How many must agree, of each group.';
comment on column chain_stage.remind_at is 'When the people who have not answered are reminded; as many as reminded says have been.';
comment on column chain_stage.escalate_at is 'When its escalations happen; as many as escalated says have.';
call secure_tenant_table('chain_stage', 'select, insert, update');

create table chain_slot (
    tenant_id   uuid        not null references tenant,
    id          uuid        not null,
    item_id     uuid        not null,
    stage       int         not null,
    group_index int         not null,
    identity_id uuid,
    role        text        not null default '',
    display     text        not null default '',
    via         text        not null default 'direct',
    acting_for  uuid,
    because     text        not null default '',
    task_id     uuid,
    state       text        not null default 'open',
    decided_at  timestamptz,
    decided_by  jsonb,
    comment     text        not null default '',
    constraint chain_slot_pk primary key (tenant_id, id),
    constraint chain_slot_stage foreign key (tenant_id, item_id, stage) references chain_stage (tenant_id, item_id, stage) on delete cascade,
    constraint chain_slot_somebody check (identity_id is not null or role <> ''),
    constraint chain_slot_via_known check (via in ('direct', 'delegate', 'fallback', 'escalation', 'reassigned')),
    constraint chain_slot_state_known check (state in ('open', 'approved', 'rejected', 'superseded'))
);
comment on table chain_slot is 'Somebody who is asked in a stage: a person, or whoever has a role of the tenant.';
comment on column chain_slot.because is 'Which resolver named them.';
comment on column chain_slot.decided_by is 'Who decided, as the inbox knew them; of a slot of a role one of its holders.';
call secure_tenant_table('chain_slot', 'select, insert, update');
create index chain_slot_by_item on chain_slot (tenant_id, item_id);
create index chain_slot_by_identity on chain_slot (tenant_id, identity_id) where identity_id is not null;
create index chain_slot_by_task on chain_slot (tenant_id, task_id) where task_id is not null;

create table chain_log (
    tenant_id uuid        not null references tenant,
    id        bigint      not null generated always as identity,
    item_id   uuid        not null,
    stage     int         not null,
    at        timestamptz not null,
    step      text        not null,
    detail    text        not null,
    constraint chain_log_pk primary key (tenant_id, id)
);
comment on table chain_log is 'What happened in a stage, and how it was found who is asked. Chains are never deleted, so nothing checks that there is one.';
call secure_tenant_table('chain_log', 'select, insert');
create index chain_log_by_item on chain_log (tenant_id, item_id, id);

-- What in the organisation has changed while chains were open. Rows are only ever added and taken.
create table chain_turn (
    tenant_id  uuid        not null references tenant,
    id         bigint      not null generated always as identity,
    kind       text        not null,
    subject_id uuid,
    constraint chain_turn_pk primary key (tenant_id, id),
    constraint chain_turn_kind_known check (kind in ('person', 'thing', 'member', 'user', 'everything'))
);
comment on table chain_turn is 'Changes for which open chains look again who they ask: a person, the owners of a thing, the members of a role, who has which role of the tenant.';
call secure_tenant_table('chain_turn');
call readable_across('chain_turn', 'tenant_id');

-- +goose StatementBegin
create function chains_live() returns boolean language sql stable
as $$ select exists (select from chain c where c.tenant_id = current_tenant() and c.state in ('running', 'blocked')) $$;
-- +goose StatementEnd
comment on function chains_live() is 'Whether anybody waits for an approval in the tenant. Where nobody does, changes of the organisation leave no trace here.';

-- +goose StatementBegin
create function person_turns_chains() returns trigger language plpgsql
as $$
declare
    moved uuid[];
begin
    if not chains_live() then
        return null;
    end if;
    select array_agg(n.id)
      into moved
      from (select n.id
              from new_row n
              join old_row o
                on o.tenant_id = n.tenant_id
               and o.id = n.id
             where o.manager_id is distinct from n.manager_id
                or o.sponsor_id is distinct from n.sponsor_id
                or o.status <> n.status
             limit 1001) n;
    if cardinality(moved) > 1000 then
        insert into chain_turn (tenant_id, kind) values (current_tenant(), 'everything');
    elsif moved is not null then
        insert into chain_turn (tenant_id, kind, subject_id) select current_tenant(), 'person', m from unnest(moved) m;
    else
        return null;
    end if;
    perform pg_notify('chain_turn', '');
    return null;
end $$;
-- +goose StatementEnd
comment on function person_turns_chains() is 'Has open chains looked at when somebody''s manager, sponsor or status is another one; of more than a thousand at once, all of them.';
create trigger person_turns_chains after update on identity referencing old table as old_row new table as new_row
    for each statement execute function person_turns_chains();

-- +goose StatementBegin
create function turns_chains() returns trigger language plpgsql
as $$
begin
    if chains_live() then
        insert into chain_turn (tenant_id, kind, subject_id) values (new.tenant_id, tg_argv[0], (to_jsonb(new) ->> tg_argv[1])::uuid);
        perform pg_notify('chain_turn', '');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function turns_chains() is 'Has open chains looked at. Its arguments are the kind of turn, and the column that names whom or what it is about.';
create trigger owners_turn_chains after update on entitlement
    for each row when ((old.owner_ids, old.backup_owner_ids) is distinct from (new.owner_ids, new.backup_owner_ids))
    execute function turns_chains('thing', 'id');
create trigger owners_turn_chains after update on role
    for each row when ((old.owner_ids, old.backup_owner_ids) is distinct from (new.owner_ids, new.backup_owner_ids))
    execute function turns_chains('thing', 'id');
create trigger members_turn_chains after insert or update on role_assignment
    for each row execute function turns_chains('member', 'role_id');
create trigger delegation_turns_chains after insert or update on decision_delegation
    for each row execute function turns_chains('person', 'delegator_id');
create trigger user_turns_chains_first after insert on app_user
    for each row execute function turns_chains('user', 'id');
create trigger user_turns_chains_again after update on app_user
    for each row when ((old.roles, old.status, old.identity_id) is distinct from (new.roles, new.status, new.identity_id))
    execute function turns_chains('user', 'id');

-- +goose Up

-- The request catalog, approval rules, access requests, approvals and fulfillment.

-- Functions are created before the tables that they read.
set local check_function_bodies = off;

create table catalog_item (
    tenant_id     uuid   not null references tenant,
    id            uuid   not null,
    kind          text   not null,
    sort_name     text   collate "C" not null,
    connector_ids uuid[] not null default '{}',
    risk_level    text   not null default 'low',
    tags          text[] not null default '{}',
    visible_to    jsonb,
    audience      text   collate "C" generated always as (md5((visible_to)::text)) stored,
    constraint catalog_item_pk primary key (tenant_id, id),
    constraint catalog_item_kind_known check (kind in ('entitlement', 'role'))
);
comment on table catalog_item is
    'One role or entitlement in the catalog that people can request. Triggers maintain it.';
comment on column catalog_item.audience is
    'Hash of visible_to. Items that are offered to the same people have the same value. Null if the item is '
    'offered to all people.';
call secure_tenant_table('catalog_item');
create index catalog_item_by_audience on catalog_item (tenant_id, audience) where audience is not null;
create index catalog_item_by_name on catalog_item (tenant_id, sort_name, id);

create table catalog_word (
    tenant_id uuid     not null,
    word      text     collate "C" not null,
    item_id   uuid     not null,
    weight    smallint not null,
    constraint catalog_word_pk primary key (tenant_id, item_id, word)
);
comment on table catalog_word is
    'One word by which a catalog item can be found. There is no foreign key, because the check would cost more '
    'than the word.';
comment on column catalog_word.weight is
    'Where the word occurs. 1: the name. 2: the business description and tags. 3: the target system''s '
    'description. 4: the resource that an entitlement opens, or the entitlements in a role.';
call secure_tenant_table('catalog_word');
create index catalog_word_by_word on catalog_word (tenant_id, word) include (item_id, weight);

create table work_calendar (
    tenant_id   uuid        not null references tenant,
    id          uuid        not null,
    name        text        not null,
    description text        not null default '',
    timezone    text        not null,
    week        jsonb       not null,
    holidays    jsonb       not null default '[]',
    usual       boolean     not null default false,
    created_at  timestamptz not null default now(),
    updated_at  timestamptz not null default now(),
    version     int         not null default 1,
    constraint work_calendar_pk primary key (tenant_id, id),
    constraint work_calendar_name_unique unique (tenant_id, name)
);
comment on table work_calendar is 'One calendar of working hours, used to calculate response times.';
comment on column work_calendar.usual is
    'True for the default calendar, used where no calendar is named. A tenant has at most one. Without one, '
    'working hours are Monday to Friday, nine to five, in the tenant''s time zone.';
call secure_tenant_table('work_calendar');
create unique index work_calendar_usual on work_calendar (tenant_id) where usual;

create table on_call_schedule (
    tenant_id    uuid        not null references tenant,
    id           uuid        not null,
    name         text        not null,
    description  text        not null default '',
    identity_ids uuid[]      not null,
    shift        text        not null,
    starts_at    timestamptz not null,
    calendar_id  uuid,
    created_at   timestamptz not null default now(),
    updated_at   timestamptz not null default now(),
    version      int         not null default 1,
    constraint on_call_schedule_pk primary key (tenant_id, id),
    constraint on_call_schedule_name_unique unique (tenant_id, name),
    constraint on_call_schedule_calendar foreign key (tenant_id, calendar_id) references work_calendar (tenant_id, id)
);
comment on table on_call_schedule is 'One on-call schedule: people who take turns, each for one shift.';
call secure_tenant_table('on_call_schedule');

create table approval_rule (
    tenant_id   uuid        not null references tenant,
    id          uuid        not null,
    name        text        not null,
    description text        not null default '',
    enabled     boolean     not null default true,
    priority    int         not null default 100,
    applies_to  jsonb       not null default '{}',
    branches    jsonb       not null,
    terms       jsonb       not null default '{}',
    labels      jsonb       not null default '{}',
    origin      jsonb       not null default '{"kind": "manual"}',
    created_at  timestamptz not null default now(),
    updated_at  timestamptz not null default now(),
    version     int         not null default 1,
    constraint approval_rule_pk primary key (tenant_id, id),
    constraint approval_rule_name_unique unique (tenant_id, name)
);
comment on table approval_rule is
    'One approval rule, which determines who approves a request. A rule that is in use cannot be deleted.';
comment on column approval_rule.terms is 'Requirements for the request and limits of the access.';
call secure_tenant_table('approval_rule');

create table approval_rule_version (
    tenant_id  uuid        not null references tenant,
    rule_id    uuid        not null,
    version    int         not null,
    content    jsonb       not null,
    changed_by jsonb       not null default '{}',
    changed_at timestamptz not null default now(),
    constraint approval_rule_version_pk primary key (tenant_id, rule_id, version)
);
comment on table approval_rule_version is
    'One version of an approval rule. It remains after the rule is deleted, because requests refer to it.';
call secure_tenant_table('approval_rule_version', 'select, insert');

create table access_request_number (
    tenant_id uuid   not null references tenant,
    last      bigint not null,
    constraint access_request_number_pk primary key (tenant_id)
);
comment on table access_request_number is 'The last request number that was assigned in a tenant.';
call secure_tenant_table('access_request_number', 'select, insert, update');

create table access_request (
    tenant_id          uuid        not null references tenant,
    id                 uuid        not null,
    number             bigint      not null,
    requested_for      uuid        not null,
    requested_by       jsonb       not null,
    requester_id       uuid,
    requester_actor    uuid,
    kind               text        not null default 'grant',
    urgency            text        not null default 'normal',
    justification      text        not null default '',
    external_reference text,
    form_answers       jsonb       not null default '{}',
    approvers          uuid[]      not null default '{}',
    status             text        not null default 'submitted',
    reason_code        text,
    told               text        not null default '',
    preview            jsonb,
    searched           text        not null default '',
    expires_at         timestamptz,
    submitted_at       timestamptz not null default now(),
    approved_at        timestamptz,
    rejected_at        timestamptz,
    fulfilled_at       timestamptz,
    closed_at          timestamptz,
    updated_at         timestamptz not null default now(),
    version            int         not null default 1,
    constraint access_request_pk primary key (tenant_id, id),
    constraint access_request_number_unique unique (tenant_id, number),
    constraint access_request_kind_known check (kind in ('grant', 'extend', 'revoke', 'return')),
    constraint access_request_status_known check (status in ('submitted', 'pending_approval', 'blocked', 'approved', 'rejected', 'cancelled',
        'expired', 'scheduled', 'provisioning', 'fulfilled', 'partially_fulfilled', 'failed', 'closed')),
    constraint access_request_told_known check (told in ('', 'approved', 'rejected')),
    constraint access_request_urgency_known check (urgency in ('normal', 'emergency'))
);
comment on table access_request is
    'One access request that a person submits for themselves or for another person. Its items are decided '
    'separately. Rows are never deleted.';
comment on column access_request.requester_id is
    'Identity of the requester. Null means that the requester is an integration or a user without a linked '
    'identity.';
comment on column access_request.requester_actor is
    'User or service token that submitted the request. Null means that Grantwright created it.';
comment on column access_request.told is
    'Last outcome that was published as an event: approved or rejected. Empty means that no outcome was '
    'published, or that an approval has been withdrawn since.';
comment on column access_request.preview is 'Approvers of each item, as resolved when the request was submitted.';
comment on column access_request.searched is
    'Search text in lower case: number, people, items, justification and reference.';
call secure_tenant_table('access_request', 'select, insert, update');
create index access_request_by_actor on access_request (tenant_id, requester_actor, id) where requester_actor is not null;
create index access_request_by_beneficiary on access_request (tenant_id, requested_for, id);
create index access_request_by_reference on access_request (tenant_id, external_reference) where external_reference is not null;
create index access_request_by_requester on access_request (tenant_id, requester_id, id) where requester_id is not null;
create index access_request_by_status on access_request (tenant_id, status, id);

create table access_request_item (
    tenant_id       uuid        not null references tenant,
    id              uuid        not null,
    request_id      uuid        not null,
    position        int         not null,
    beneficiary_id  uuid        not null,
    kind            text        not null,
    role_id         uuid,
    entitlement_id  uuid,
    account_id      uuid,
    display         text        not null default '',
    risk_level      text,
    privileged      boolean     not null default false,
    parameters      jsonb       not null default '{}',
    status          text        not null default 'submitted',
    duration        text,
    starts_at       timestamptz,
    ends_at         timestamptz,
    longest         text,
    limits          jsonb       not null default '[]',
    plan            jsonb       not null default '{}',
    decision        text,
    decision_code   text,
    decision_reason text,
    decided_at      timestamptz,
    decided_by      jsonb       not null default '[]',
    target_item_id  uuid,
    given           boolean     not null default false,
    fulfilment      jsonb       not null default '{}',
    review          jsonb,
    review_due_at   timestamptz,
    updated_at      timestamptz not null default now(),
    extended_from   timestamptz,
    constraint access_request_item_pk primary key (tenant_id, id),
    constraint access_request_item_request foreign key (tenant_id, request_id) references access_request (tenant_id, id) on delete cascade,
    constraint access_request_item_kind_known check (kind in ('grant', 'extend', 'revoke', 'return')),
    constraint access_request_item_one check ((role_id is null) <> (entitlement_id is null)),
    constraint access_request_item_risk_known check (risk_level in ('low', 'medium', 'high', 'critical')),
    constraint access_request_item_status_known check (status in ('submitted', 'pending_approval', 'blocked', 'approved', 'rejected', 'cancelled',
        'expired', 'scheduled', 'provisioning', 'fulfilled', 'failed', 'closed'))
);
comment on table access_request_item is 'One role or entitlement in an access request.';
comment on column access_request_item.display is 'Display name of the role or entitlement at the time of the request.';
comment on column access_request_item.longest is
    'Longest permitted duration of the access. An approver can shorten the requested duration but cannot exceed '
    'this limit. Null means no limit.';
comment on column access_request_item.plan is 'Approval plan of the item, as resolved when the request was submitted.';
comment on column access_request_item.target_item_id is
    'Item that originally provided the access, for requests to extend, return or revoke it. Null for requests for '
    'new access.';
comment on column access_request_item.given is 'True if the access was ordered and has not been withdrawn since.';
comment on column access_request_item.fulfilment is
    'Progress of the access, as last reported by the fulfillment of the item.';
comment on column access_request_item.review is
    'Review of emergency access: the reviewers and their decision. Null unless the item is for emergency access.';
comment on column access_request_item.review_due_at is
    'When the review of emergency access is escalated to the administrators. Null means that it was reviewed, '
    'that administrators were already asked, or that no review is needed.';
comment on column access_request_item.extended_from is
    'Of an approved request to extend: when the access was to end before.';
call secure_tenant_table('access_request_item', 'select, insert, update');
call readable_across('access_request_item', 'tenant_id, review_due_at');
create index access_request_item_by_beneficiary on access_request_item (tenant_id, beneficiary_id, status);
create index access_request_item_by_entitlement on access_request_item (tenant_id, entitlement_id) where entitlement_id is not null;
create index access_request_item_by_request on access_request_item (tenant_id, request_id, position);
create index access_request_item_by_role on access_request_item (tenant_id, role_id) where role_id is not null;
create index access_request_item_by_target on access_request_item (tenant_id, target_item_id) where target_item_id is not null;
create unique index access_request_item_open_entitlement on access_request_item
    (tenant_id, beneficiary_id, entitlement_id, coalesce(account_id, '00000000-0000-0000-0000-000000000000'))
    where entitlement_id is not null and kind = 'grant' and status in ('submitted', 'pending_approval', 'blocked');
create unique index access_request_item_open_extension on access_request_item (tenant_id, target_item_id)
    where kind = 'extend' and status in ('submitted', 'pending_approval', 'blocked');
-- Nobody waits twice for the same. Whoever submits holds a lock on the person it is for; these are what makes it certain.
create unique index access_request_item_open_role on access_request_item (tenant_id, beneficiary_id, role_id, md5(parameters::text))
    where role_id is not null and kind = 'grant' and status in ('submitted', 'pending_approval', 'blocked');
create index access_request_item_review_due on access_request_item (review_due_at) where review_due_at is not null;

create table access_request_event (
    tenant_id  uuid        not null references tenant,
    id         bigint      not null generated always as identity,
    request_id uuid        not null,
    item_id    uuid,
    at         timestamptz not null default now(),
    event      text        not null,
    by         jsonb       not null,
    detail     text        not null default '',
    constraint access_request_event_pk primary key (tenant_id, request_id, id),
    constraint access_request_event_request foreign key (tenant_id, request_id) references access_request (tenant_id, id) on delete cascade
);
comment on table access_request_event is
    'One entry in the timeline of an access request, as text. The events of its approval chains are in chain_log.';
call secure_tenant_table('access_request_event', 'select, insert');

create table access_request_comment (
    tenant_id  uuid        not null references tenant,
    id         uuid        not null,
    request_id uuid        not null,
    at         timestamptz not null default now(),
    by         jsonb       not null,
    text       text        not null,
    visibility text        not null,
    constraint access_request_comment_pk primary key (tenant_id, request_id, id),
    constraint access_request_comment_request foreign key (tenant_id, request_id) references access_request (tenant_id, id) on delete cascade,
    constraint access_request_comment_visibility_known check (visibility in ('everybody', 'approvers'))
);
comment on table access_request_comment is 'One comment on an access request.';
comment on column access_request_comment.visibility is
    'Who can read the comment: everybody or approvers. A comment for approvers is hidden from the requester and '
    'from the person for whom access is requested.';
call secure_tenant_table('access_request_comment', 'select, insert');

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
comment on table chain is
    'One approval chain: the approvals of one access request item, from submission to decision. Rows are never '
    'deleted.';
comment on column chain.plan is
    'Approval steps, as resolved when the request was submitted. The approvers of a step are resolved again when '
    'it opens and when the organization changes.';
comment on column chain.shown is
    'Details that approvers see in addition to the plan: the requested access, the requester and the beneficiary.';
comment on column chain.starts_at is 'New start of the access, if an approver changed it. Null if no approver did.';
comment on column chain.ends_at is 'New end of the access, if an approver shortened it. Null if no approver did.';
comment on column chain.look_at is
    'When the next timed step is due: a reminder, an escalation, the end of a wait or the expiry.';
comment on column chain.turned is
    'True if the organization changed and the approvers of the open step must be resolved again.';
comment on column chain.left_tasks is
    'Decision tasks that were being decided when they became unnecessary. They are closed the next time the chain '
    'is processed.';
call secure_tenant_table('chain', 'select, insert, update');
call readable_across('chain', 'tenant_id, state, look_at, left_tasks');
create index chain_by_request on chain (tenant_id, request_id);
create index chain_live on chain (tenant_id, look_at) where state in ('running', 'blocked') or left_tasks <> '{}';

create table chain_stage (
    tenant_id   uuid          not null references tenant,
    item_id     uuid          not null,
    stage       int           not null,
    state       text          not null default 'waiting',
    needed      int[]         not null default '{}'::integer[],
    wait_since  timestamptz,
    wait_until  timestamptz,
    wait_task   uuid,
    waited      boolean       not null default false,
    opened_at   timestamptz,
    due_at      timestamptz,
    closed_at   timestamptz,
    remind_at   timestamptz[] not null default '{}'::timestamp with time zone[],
    reminded    int           not null default 0,
    escalate_at timestamptz[] not null default '{}'::timestamp with time zone[],
    escalated   int           not null default 0,
    escalations jsonb         not null default '[]',
    constraint chain_stage_pk primary key (tenant_id, item_id, stage),
    constraint chain_stage_chain foreign key (tenant_id, item_id) references chain (tenant_id, item_id) on delete cascade,
    constraint chain_stage_state_known check (state in ('waiting', 'open', 'approved', 'rejected', 'skipped', 'expired', 'cancelled'))
);
comment on table chain_stage is 'One step of an approval chain. Its definition is in the plan of the chain.';
comment on column chain_stage.needed is 'Number of required approvals in each group.';
comment on column chain_stage.remind_at is
    'Times at which approvers without a decision are reminded. The column reminded counts the reminders sent.';
comment on column chain_stage.escalate_at is
    'Times of the escalations. The column escalated counts those that have occurred.';
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
    constraint chain_slot_state_known check (state in ('open', 'approved', 'rejected', 'superseded')),
    constraint chain_slot_via_known check (via in ('direct', 'delegate', 'fallback', 'escalation', 'reassigned'))
);
comment on table chain_slot is 'One approver in an approval step: a person, or any user with a role in the tenant.';
comment on column chain_slot.because is 'Resolver that selected the approver.';
comment on column chain_slot.decided_by is
    'Person who made the decision, as recorded in the inbox. If the approver is a role, this is one of the users '
    'with that role. Null until decided.';
call secure_tenant_table('chain_slot', 'select, insert, update');
create index chain_slot_by_identity on chain_slot (tenant_id, identity_id) where identity_id is not null;
create index chain_slot_by_item on chain_slot (tenant_id, item_id);
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
comment on table chain_log is
    'One event in an approval step, including how its approvers were found. There is no foreign key, because '
    'chains are never deleted.';
call secure_tenant_table('chain_log', 'select, insert');
create index chain_log_by_item on chain_log (tenant_id, item_id, id);

create table fulfilment (
    tenant_id      uuid        not null references tenant,
    item_id        uuid        not null,
    request_id     uuid        not null,
    identity_id    uuid        not null,
    role_id        uuid,
    entitlement_id uuid,
    account_id     uuid,
    assignment_id  uuid,
    kind           text        not null,
    state          text        not null,
    starts_at      timestamptz,
    lasts          interval,
    ends_at        timestamptz,
    verified_at    timestamptz,
    due_at         timestamptz not null default now(),
    told           jsonb       not null default '{}',
    ended_reason   text,
    created_at     timestamptz not null default now(),
    updated_at     timestamptz not null default now(),
    constraint fulfilment_pk primary key (tenant_id, item_id),
    constraint fulfilment_state_known check (state in ('scheduled', 'provisioning', 'fulfilled', 'failed', 'ending', 'closed'))
);
comment on table fulfilment is 'Progress of one approved access request item, from the decision until the access ends.';
comment on column fulfilment.lasts is
    'Duration of the access, counted from verified_at, when the access was confirmed in the target system. Null '
    'means that ends_at applies or that the access has no time limit.';
comment on column fulfilment.due_at is 'When the fulfillment is processed next.';
call secure_tenant_table('fulfilment', 'select, insert, update');
call readable_across('fulfilment', 'tenant_id, state, due_at');
create index fulfilment_by_assignment on fulfilment (tenant_id, assignment_id) where assignment_id is not null;
create index fulfilment_due on fulfilment (due_at) where state <> 'closed';

-- The catalog and the names of colleagues are searched as lists are: one way to compare text, and names found in either way of writing
-- them. Words are kept of both; what is asked for is only folded.
-- +goose StatementBegin
create function catalog_words(said text) returns text[] language plpgsql immutable parallel safe
as $$
begin
    return array(select distinct left(w, 60) from regexp_split_to_table(search_text(said), '[\s!-/:-@\[-`{-~]+') w where w <> '');
end $$;
-- +goose StatementEnd
comment on function catalog_words is
    'Returns the words by which a text is found, prepared as search_text() does. It is not written in SQL, '
    'because that would be planned at every call.';

-- +goose StatementBegin
create function catalog_take_entitlements(ids uuid[]) returns void language plpgsql
    set enable_seqscan = off
as $$
declare
    one uuid;
begin
  foreach one in array ids loop
    delete from catalog_word c where c.item_id = one;
    delete from catalog_item c where c.id = one;
    with offered as (
        insert into catalog_item (tenant_id, id, kind, sort_name, connector_ids, risk_level, tags, visible_to)
        select e.tenant_id, e.id, 'entitlement', search_fold(coalesce(nullif(e.display_name, ''), e.name)), array[e.connector_id], e.risk_level,
               e.compliance_tags || e.data_classes, e.visible_to
          from entitlement e
         where e.id = one
           and e.requestable
           and e.grantable
           and e.lifecycle = 'active'
           and e.removed_at is null
           and e.missing_since is null
           and e.connector_id is not null
        returning tenant_id, id
    )
    insert into catalog_word (tenant_id, item_id, word, weight)
    select e.tenant_id, e.id, t.word, min(s.weight)
      from offered o
     cross join entitlement e
     cross join lateral (values
           (concat_ws(' ', e.display_name, e.name), 1),
           (concat_ws(' ', e.business_description, array_to_string(e.permission_summary || e.compliance_tags || e.data_classes, ' ')), 2),
           (concat_ws(' ', e.description, e.native_identity, e.external_id), 3),
           (concat_ws(' ', e.resource ->> 'display_name', e.resource ->> 'name', e.resource ->> 'external_id', e.resource ->> 'type'), 4)) s (said, weight)
     cross join lateral unnest(catalog_words(s.said || ' ' || regexp_replace(s.said, '([a-z0-9])([A-Z])', '\1 \2', 'g'))) t (word)
     where e.id = one
     group by 1, 2, 3;
  end loop;
end $$;
-- +goose StatementEnd
comment on function catalog_take_entitlements is
    'Rebuilds the catalog entries of these entitlements. It processes them one by one, because a plan cached '
    'while the tables were empty would be inefficient for a set.';

-- +goose StatementBegin
create function catalog_take_roles(ids uuid[]) returns void language plpgsql
    set enable_seqscan = off
as $$
declare
    one uuid;
begin
    -- A role is found by what the roles within it hold, too, so that those above are looked at as well.
    ids := array(with recursive up (id) as (
        select unnest(ids)
         union
        select c.role_id from up join role_child c on c.child_id = up.id
    ) select up.id
        from up
       where exists (select from role r where r.id = up.id and r.requestable)
          or exists (select from catalog_item i where i.id = up.id));
  foreach one in array ids loop
    delete from catalog_word c where c.item_id = one;
    delete from catalog_item c where c.id = one;
    with recursive down (top, id) as (
        select r.id, r.id from role r where r.id = one and r.requestable and r.lifecycle = 'active'
         union
        select d.top, c.child_id from down d join role_child c on c.role_id = d.id
    ),
    holds as materialized (
        select distinct d.top as role_id, x.entitlement_id from down d join role_entitlement x on x.role_id = d.id
    ),
    offered as (
        insert into catalog_item (tenant_id, id, kind, sort_name, connector_ids, risk_level, tags, visible_to)
        select r.tenant_id, r.id, 'role', search_fold(r.name), coalesce(h.connectors, '{}'),
               coalesce(r.risk_level, (array['low', 'medium', 'high', 'critical'])[coalesce(h.risk, 1)]), r.compliance_tags, r.visible_to
          from role r
          left join (select x.role_id, array_agg(distinct e.connector_id) filter (where e.connector_id is not null) as connectors,
                            max(array_position(array['low', 'medium', 'high', 'critical'], e.risk_level)) as risk
                       from holds x
                       join entitlement e on e.id = x.entitlement_id
                      group by x.role_id) h on h.role_id = r.id
         where r.id = one
           and r.requestable
           and r.lifecycle = 'active'
        returning tenant_id, id
    )
    insert into catalog_word (tenant_id, item_id, word, weight)
    select r.tenant_id, r.id, t.word, min(s.weight)
      from offered o
     cross join role r
     cross join lateral (
           select concat_ws(' ', r.name, r.key), 1
            union all
           select concat_ws(' ', r.description, array_to_string(r.compliance_tags, ' ')), 2
            union all
           select concat_ws(' ', e.display_name, e.name, e.business_description, e.resource ->> 'display_name', e.resource ->> 'name', e.resource ->> 'external_id'), 4
             from holds x
             join entitlement e on e.id = x.entitlement_id
            where x.role_id = r.id) s (said, weight)
     cross join lateral unnest(catalog_words(s.said || ' ' || regexp_replace(s.said, '([a-z0-9])([A-Z])', '\1 \2', 'g'))) t (word)
     where r.id = one
     group by 1, 2, 3;
  end loop;
end $$;
-- +goose StatementEnd
comment on function catalog_take_roles is
    'Rebuilds the catalog entries of these roles and of all roles that contain them, because a role can also be '
    'found by its nested contents.';

-- +goose StatementBegin
create function catalog_follows() returns trigger language plpgsql
as $$
declare
    roles uuid[];
begin
    case tg_table_name
    when 'entitlement' then
        if new.requestable or tg_op = 'UPDATE' and old.requestable then
            perform catalog_take_entitlements(array[new.id]);
        end if;
        if tg_op = 'UPDATE' then
            roles := array(select x.role_id from role_entitlement x where x.entitlement_id = new.id);
        end if;
    when 'role' then
        roles := array[new.id];
    else
        roles := array(select distinct c.role_id from changed c);
    end case;
    if cardinality(roles) > 0 then
        perform catalog_take_roles(roles);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function catalog_follows is
    'Trigger: updates the catalog after a role, an entitlement or the contents of a role changed.';

-- +goose StatementBegin
create function asked_request() returns TABLE(id uuid) language sql stable parallel safe
as $$
    select (t.source ->> 'id')::uuid
      from decision_assignee a
      join decision_task t on t.id = a.task_id
     where a.identity_id = (select viewer_identity())
       and a.dropped_at is null
       and t.source ->> 'type' = 'access_request'
     union
    select (t.source ->> 'id')::uuid
      from decision_task t
     where t.state in ('open', 'claimed')
       and t.roles <> '{}'
       and t.source ->> 'type' = 'access_request'
       and exists (select from unnest(t.roles) r (role) where viewer_has_role(r.role))
$$;
-- +goose StatementEnd
comment on function asked_request is
    'Returns the requests for which the viewer is an assignee of a decision task, whether open or closed. '
    'Requests with an open task for one of the viewer''s roles are included.';

-- +goose StatementBegin
create function visible_request(actor uuid) returns SETOF access_request language sql stable parallel safe
as $$
    select r.*
      from (select q.id from access_request q where q.requested_for = (select viewer_identity())
             union
            select q.id from access_request q where q.requester_id = (select viewer_identity())
             union
            select q.id from access_request q where q.requester_actor = actor
             union
            select q.id from managed_identity() m join access_request q on q.requested_for = m.id
             union
            select i.request_id from owned_entitlement() o join access_request_item i on i.entitlement_id = o.id
             union
            select i.request_id
              from role x
              join access_request_item i on i.role_id = x.id
             where viewer_has_role('resource_owner')
               and (select viewer_serves())
               and (select viewer_identity()) = any (x.owner_ids)
             union
            select a.id from asked_request() a) seen
      join access_request r on r.id = seen.id
$$;
-- +goose StatementEnd
comment on function visible_request is
    'Returns the requests that the viewer may read, if the viewer cannot read the whole tenant. These are '
    'requests by or for them, for their reports, about roles and entitlements that they own, and with their '
    'decision tasks. The argument is the ID of their user or token. If sees_all() is true, callers do not use '
    'this function.';

-- +goose StatementBegin
create function chains_live() returns boolean language sql stable
as $$ select exists (select from chain c where c.tenant_id = current_tenant() and c.state in ('running', 'blocked')) $$;
-- +goose StatementEnd
comment on function chains_live is
    'Returns whether the tenant has open approval chains. If not, changes in the organization are not queued for '
    'approval chains.';

-- +goose StatementBegin
create function person_enqueues_approvals() returns trigger language plpgsql
    set enable_nestloop = off
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
        perform enqueue_work('approval', array['00000000-0000-0000-0000-000000000000'::uuid], 'everything');
    elsif moved is not null then
        perform enqueue_work('approval', moved, 'person');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function person_enqueues_approvals is
    'Trigger on identity: queues open approval chains for resolution when a person''s manager, sponsor or status '
    'changes. If more than 1000 people change at once, it queues all chains.';

-- +goose StatementBegin
create function change_enqueues_approvals() returns trigger language plpgsql
as $$
begin
    if chains_live() then
        perform enqueue_work('approval', array[(to_jsonb(new) ->> tg_argv[1])::uuid], tg_argv[0]);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function change_enqueues_approvals is
    'Trigger: queues open approval chains for resolution. Its arguments are the kind of change and the name of '
    'the column with the affected ID.';

-- +goose StatementBegin
create function reason_enqueues_fulfilment() returns trigger language plpgsql
as $$
begin
    perform enqueue_work('fulfillment', array[new.source_id]);
    return null;
end $$;
-- +goose StatementEnd
comment on function reason_enqueues_fulfilment is
    'Trigger on access_reason: queues the fulfillment of requested access when its reason ends. The cause can be '
    'its end date, an administrator or the end of a role.';

-- +goose StatementBegin
create function user_enqueues_approvals() returns trigger language plpgsql
as $$
begin
    if not chains_live() then
        return null;
    end if;
    perform enqueue_work('approval', array[new.id], 'user');
    perform enqueue_work('approval', case when tg_op = 'INSERT' then array[new.identity_id] else array[old.identity_id, new.identity_id] end, 'person');
    return null;
end $$;
-- +goose StatementEnd
comment on function user_enqueues_approvals is
    'Trigger on app_user: queues open approval chains for resolution after a user was added or changed. It '
    'affects chains that involve the user''s person, or that ask a role of the tenant.';

-- +goose StatementBegin
create function provider_enqueues_approvals() returns trigger language plpgsql
as $$
begin
    if chains_live() then
        perform enqueue_work('approval', array['00000000-0000-0000-0000-000000000000'::uuid], 'everything');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function provider_enqueues_approvals is
    'Trigger on identity_provider: queues all open approval chains for resolution, because a provider determines '
    'who can sign in and decide.';

-- +goose StatementBegin
create function sign_in_enqueues_approvals() returns trigger language plpgsql
as $$
begin
    if chains_live() then
        perform enqueue_work('approval', array(select distinct c.identity_id from changed_row c), 'person');
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function sign_in_enqueues_approvals is
    'Trigger on sign_in_grant: queues the open approval chains of people to whom a rule gives sign-in, or no longer '
    'gives it, because they can decide by single sign-on.';
create trigger sign_in_enqueues_approvals_first after insert on sign_in_grant referencing new table as changed_row
    for each statement execute function sign_in_enqueues_approvals();
create trigger sign_in_enqueues_approvals_last after delete on sign_in_grant referencing old table as changed_row
    for each statement execute function sign_in_enqueues_approvals();

create trigger user_enqueues_approvals_again after update on app_user
    for each row when ((old.roles, old.status, old.identity_id, old.deleted_at) is distinct from (new.roles, new.status, new.identity_id, new.deleted_at))
    execute function user_enqueues_approvals();
create trigger user_enqueues_approvals_first after insert on app_user
    for each row execute function user_enqueues_approvals();
create trigger person_enqueues_approvals after update on identity referencing old table as old_row new table as new_row
    for each statement execute function person_enqueues_approvals();
create trigger catalog_follows_changed after update on entitlement
    for each row when (
        (old.requestable, old.grantable, old.lifecycle, old.removed_at is null, old.missing_since is null, old.visible_to, old.risk_level, old.compliance_tags, old.data_classes,
         old.name, old.display_name, old.description, old.business_description, old.permission_summary, old.native_identity, old.resource)
        is distinct from
        (new.requestable, new.grantable, new.lifecycle, new.removed_at is null, new.missing_since is null, new.visible_to, new.risk_level, new.compliance_tags, new.data_classes,
         new.name, new.display_name, new.description, new.business_description, new.permission_summary, new.native_identity, new.resource))
    execute function catalog_follows();
create trigger catalog_follows_new after insert on entitlement
    for each row when (new.requestable) execute function catalog_follows();
create trigger owners_enqueue_approvals after update on entitlement
    for each row when ((old.owner_ids, old.backup_owner_ids) is distinct from (new.owner_ids, new.backup_owner_ids))
    execute function change_enqueues_approvals('thing', 'id');
create trigger provider_enqueues_approvals_again after update on identity_provider
    for each row when ((old.enabled, old.create_users, old.domains) is distinct from (new.enabled, new.create_users, new.domains))
    execute function provider_enqueues_approvals();
create trigger provider_enqueues_approvals_first after insert on identity_provider
    for each row execute function provider_enqueues_approvals();
create trigger provider_enqueues_approvals_gone after delete on identity_provider
    for each row execute function provider_enqueues_approvals();
create trigger catalog_follows_role after insert or update on role for each row execute function catalog_follows();
create trigger owners_enqueue_approvals after update on role
    for each row when ((old.owner_ids, old.backup_owner_ids) is distinct from (new.owner_ids, new.backup_owner_ids))
    execute function change_enqueues_approvals('thing', 'id');
create trigger catalog_follows_less after delete on role_entitlement referencing old table as changed
    for each statement execute function catalog_follows();
create trigger catalog_follows_more after insert on role_entitlement referencing new table as changed
    for each statement execute function catalog_follows();
create trigger reason_enqueues_fulfilment after update on access_reason for each row
    when (new.state = 'ended' and old.state <> 'ended' and new.source_type in ('access_request', 'role_assignment')
      and new.kind in ('request', 'emergency'))
    execute function reason_enqueues_fulfilment();
create trigger catalog_follows_less after delete on role_child referencing old table as changed
    for each statement execute function catalog_follows();
create trigger catalog_follows_more after insert on role_child referencing new table as changed
    for each statement execute function catalog_follows();
create trigger members_enqueue_approvals after insert or update on role_assignment
    for each row execute function change_enqueues_approvals('member', 'role_id');
create trigger delegation_enqueues_approvals after insert or update on decision_delegation
    for each row execute function change_enqueues_approvals('person', 'delegator_id');

-- +goose Up

create table access_request_number (
    tenant_id uuid   not null references tenant,
    last      bigint not null,
    constraint access_request_number_pk primary key (tenant_id)
);
comment on table access_request_number is 'The last number that a request of the tenant was given.';
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
    constraint access_request_urgency_known check (urgency in ('normal', 'emergency')),
    constraint access_request_told_known check (told in ('', 'approved', 'rejected')),
    constraint access_request_status_known check (status in ('submitted', 'pending_approval', 'blocked', 'approved', 'rejected', 'cancelled',
        'expired', 'scheduled', 'provisioning', 'fulfilled', 'partially_fulfilled', 'failed', 'closed'))
);
comment on table access_request is 'Somebody asks for access, for themselves or another person. Its items are decided apart. Rows are never deleted.';
comment on column access_request.requester_id is 'The identity of whoever asks; null: an integration, or a user without one.';
comment on column access_request.requester_actor is 'The user or service token that asked; null: the product itself.';
comment on column access_request.told is 'Which outcome receivers of events were told last. Empty: none, or an approval was withdrawn since.';
comment on column access_request.preview is 'Who had to agree to each item, as it was known when the request was submitted.';
comment on column access_request.searched is 'What a search looks through: number, people, things, justification and reference, in small letters.';
call secure_tenant_table('access_request', 'select, insert, update');
create index access_request_by_beneficiary on access_request (tenant_id, requested_for, id);
create index access_request_by_requester on access_request (tenant_id, requester_id, id) where requester_id is not null;
create index access_request_by_actor on access_request (tenant_id, requester_actor, id) where requester_actor is not null;
create index access_request_by_reference on access_request (tenant_id, external_reference) where external_reference is not null;
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
    constraint access_request_item_pk primary key (tenant_id, id),
    constraint access_request_item_request foreign key (tenant_id, request_id) references access_request (tenant_id, id) on delete cascade,
    constraint access_request_item_one check ((role_id is null) <> (entitlement_id is null)),
    constraint access_request_item_kind_known check (kind in ('grant', 'extend', 'revoke', 'return')),
    constraint access_request_item_risk_known check (risk_level in ('low', 'medium', 'high', 'critical')),
    constraint access_request_item_status_known check (status in ('submitted', 'pending_approval', 'blocked', 'approved', 'rejected', 'cancelled',
        'expired', 'scheduled', 'provisioning', 'fulfilled', 'failed', 'closed'))
);
comment on table access_request_item is 'One role or entitlement of a request.';
comment on column access_request_item.display is 'What it was called when it was asked for.';
comment on column access_request_item.longest is 'The longest that the access may last, as a duration; null: without a limit. An approver may shorten what is asked for, and not go beyond it.';
comment on column access_request_item.plan is 'Who had to agree, as it was resolved when the request was submitted.';
comment on column access_request_item.target_item_id is 'Of a request to extend, return or revoke: the item that gave the access.';
comment on column access_request_item.given is 'The access was ordered, and not taken back since.';
comment on column access_request_item.fulfilment is 'How far the access is: what the fulfilment last told.';
comment on column access_request_item.review is 'Of emergency access: who is asked afterwards, and what they said.';
comment on column access_request_item.review_due_at is 'When administrators are asked to review emergency access, because nobody else has; null: it was reviewed, or they are.';
call secure_tenant_table('access_request_item', 'select, insert, update');
call readable_across('access_request_item', 'tenant_id, review_due_at');
create index access_request_item_by_request on access_request_item (tenant_id, request_id, position);
create index access_request_item_by_entitlement on access_request_item (tenant_id, entitlement_id) where entitlement_id is not null;
create index access_request_item_by_role on access_request_item (tenant_id, role_id) where role_id is not null;
create index access_request_item_by_beneficiary on access_request_item (tenant_id, beneficiary_id, status);
create index access_request_item_by_target on access_request_item (tenant_id, target_item_id) where target_item_id is not null;
create index access_request_item_review_due on access_request_item (review_due_at) where review_due_at is not null;
-- Nobody waits twice for the same. Whoever submits holds a lock on the person it is for; these are what makes it certain.
create unique index access_request_item_open_role on access_request_item (tenant_id, beneficiary_id, role_id, md5(parameters::text))
    where role_id is not null and kind = 'grant' and status in ('submitted', 'pending_approval', 'blocked');
create unique index access_request_item_open_entitlement on access_request_item
    (tenant_id, beneficiary_id, entitlement_id, coalesce(account_id, '00000000-0000-0000-0000-000000000000'))
    where entitlement_id is not null and kind = 'grant' and status in ('submitted', 'pending_approval', 'blocked');
create unique index access_request_item_open_extension on access_request_item (tenant_id, target_item_id)
    where kind = 'extend' and status in ('submitted', 'pending_approval', 'blocked');

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
comment on table access_request_event is 'What happened to a request, in words: its timeline. What happened in its chains stands with those.';
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
comment on table access_request_comment is 'What people have said about a request.';
comment on column access_request_comment.visibility is 'approvers: neither whoever asks nor the person it is for reads it.';
call secure_tenant_table('access_request_comment', 'select, insert');

-- +goose StatementBegin
create function asked_request() returns table (id uuid) language sql stable parallel safe
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
comment on function asked_request() is 'Requests about which the viewer has a task, or had one and decided it.';

-- +goose StatementBegin
create function visible_request(actor uuid) returns setof access_request language sql stable parallel safe
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
comment on function visible_request(uuid) is
    'Requests that the viewer, who signs in as this user or token, may see: their own, those for them, those for their reports, those about what they own, and those they were asked about. For viewers who see all, stores ask sees_all() instead.';

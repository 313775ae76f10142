-- +goose Up

-- Webhooks, notifications by mail, and the deliveries of both.

-- Functions are created before the tables that they read.
set local check_function_bodies = off;

create table webhook (
    tenant_id            uuid        not null references tenant,
    id                   uuid        not null,
    name                 text        not null,
    url                  text        not null,
    url_sealed           bytea,
    state                text        not null default 'enabled',
    state_reason         text        not null default '',
    state_changed_at     timestamptz not null default now(),
    events               text[]      not null,
    filter               jsonb,
    headers_sealed       bytea,
    header_names         text[]      not null default '{}',
    max_rps              int,
    ordered_per_subject  boolean     not null default false,
    format               text        not null default 'standard',
    owner_ids            uuid[]      not null default '{}',
    last_success_at      timestamptz,
    last_failure_at      timestamptz,
    consecutive_failures int         not null default 0,
    exhausted            int         not null default 0,
    exhausted_since      timestamptz,
    blocked              int         not null default 0,
    warned_at            timestamptz,
    pinged_at            timestamptz,
    probe_at             timestamptz,
    probes               int         not null default 0,
    paced_until          timestamptz,
    created_at           timestamptz not null default now(),
    updated_at           timestamptz not null default now(),
    version              int         not null default 1,
    constraint webhook_pk primary key (tenant_id, id),
    constraint webhook_format_known check (format in ('standard', 'cloudevents', 'teams', 'slack')),
    constraint webhook_max_rps_positive check (max_rps > 0),
    constraint webhook_state_known check (state in ('enabled', 'disabled', 'disabled_auto'))
);
comment on table webhook is 'One webhook: an address that receives events.';
comment on column webhook.url is 'The URL as it is shown: without its query, and for chat services without its path.';
comment on column webhook.url_sealed is 'The whole URL, sealed. Null if the column url has all of it.';
comment on column webhook.exhausted is
    'Number of deliveries abandoned since the last success. The column exhausted_since is the time of the first; '
    'blocked counts those to refused addresses.';
comment on column webhook.probe_at is
    'When the next delivery may be tried while the endpoint fails repeatedly. The column probes counts these '
    'attempts. Null while it works.';
comment on column webhook.paced_until is
    'Earliest start of the next delivery under max_rps. Null before the first limited delivery.';
call secure_tenant_table('webhook');
call readable_across('webhook', 'tenant_id, id, state, probe_at');
create unique index webhook_name_unique on webhook (tenant_id, lower(name));

create table webhook_secret (
    tenant_id  uuid        not null references tenant,
    id         uuid        not null,
    webhook_id uuid        not null,
    sealed     bytea       not null,
    state      text        not null default 'active',
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    constraint webhook_secret_pk primary key (tenant_id, id),
    constraint webhook_secret_webhook foreign key (tenant_id, webhook_id) references webhook (tenant_id, id) on delete cascade,
    constraint webhook_secret_state_known check (state in ('active', 'retiring'))
);
comment on table webhook_secret is
    'One secret that signs a webhook''s deliveries. A retiring secret signs in addition to the active one until it '
    'expires.';
call secure_tenant_table('webhook_secret');
create index webhook_secret_by_webhook on webhook_secret (tenant_id, webhook_id);

create table webhook_delivery (
    tenant_id     uuid        not null,
    id            uuid        not null,
    webhook_id    uuid        not null,
    event_id      uuid        not null,
    event_type    text        not null,
    resource_id   uuid        not null,
    sequence      bigint      not null,
    purpose       text        not null default 'event',
    redelivery_of uuid,
    format        text        not null,
    state         text        not null default 'pending',
    attempt       int         not null default 0,
    repeats       int         not null default 0,
    offsets       int[]       not null,
    first_at      timestamptz,
    due_at        timestamptz not null,
    overdue       boolean     not null default false,
    lease_owner   uuid,
    lease_until   timestamptz,
    attempts      jsonb       not null default '[]',
    last_status   int,
    last_error    text,
    created_at    timestamptz not null default now(),
    ended_at      timestamptz,
    constraint webhook_delivery_pk primary key (tenant_id, id),
    constraint webhook_delivery_attempts_bounded check (attempt between 0 and 5),
    constraint webhook_delivery_purpose_known check (purpose in ('event', 'redelivery', 'replay', 'ping')),
    constraint webhook_delivery_state_known check (state in ('pending', 'succeeded', 'exhausted', 'skipped'))
);
comment on table webhook_delivery is
    'One delivery of one event to one webhook. Completed deliveries are deleted after 30 days, and all deliveries '
    'are deleted with their webhook.';
comment on column webhook_delivery.attempt is
    'Number of attempts with a known outcome. The column repeats counts attempts whose outcome is unknown.';
comment on column webhook_delivery.offsets is
    'When each attempt is due, in milliseconds. The first counts from created_at, the others from first_at. They '
    'are chosen once at random.';
comment on column webhook_delivery.overdue is 'True if a due attempt was missed and has been postponed once.';
call secure_tenant_table('webhook_delivery');
call readable_across('webhook_delivery', 'tenant_id, webhook_id, state, due_at');
create index webhook_delivery_due on webhook_delivery (tenant_id, webhook_id, due_at) where state = 'pending';
create index webhook_delivery_in_turn on webhook_delivery (tenant_id, webhook_id, resource_id, sequence) where state = 'pending';
create index webhook_delivery_leased on webhook_delivery (tenant_id, webhook_id, lease_until) where lease_until is not null;
create index webhook_delivery_listed on webhook_delivery (tenant_id, webhook_id, created_at, id);
create index webhook_delivery_of_event on webhook_delivery (tenant_id, event_id);

-- Notifications by mail.

create table notification_settings (
    tenant_id    uuid        not null references tenant,
    enabled      boolean     not null default true,
    server       text        not null default 'installation',
    host         text        not null default '',
    port         int         not null default 587,
    security     text        not null default 'starttls',
    auth         text        not null default 'none',
    username     text        not null default '',
    secret       bytea,
    token_url    text        not null default '',
    client_id    text        not null default '',
    scope        text        not null default '',
    ca           text        not null default '',
    from_address text        not null default '',
    from_name    text        not null default '',
    reply_to     text        not null default '',
    digest_hour  int         not null default 9,
    quiet        jsonb       not null default '{}',
    modes        jsonb       not null default '{}',
    locked       text[]      not null default '{}',
    failures     int         not null default 0,
    paused_until timestamptz,
    last_error   text,
    succeeded_at timestamptz,
    updated_at   timestamptz not null default now(),
    version      int         not null default 1,
    constraint notification_settings_pk primary key (tenant_id),
    constraint notification_settings_auth_known check (auth in ('none', 'plain', 'xoauth2')),
    constraint notification_settings_hour_valid check (digest_hour between 0 and 23),
    constraint notification_settings_port_valid check (port between 1 and 65535),
    constraint notification_settings_security_known check (security in ('starttls', 'tls', 'none')),
    constraint notification_settings_server_known check (server in ('installation', 'own'))
);
comment on table notification_settings is
    'How a tenant sends notifications by mail: server, sender, times and defaults. A tenant without a row uses the '
    'mail server of the installation, if there is one.';
comment on column notification_settings.failures is
    'Consecutive failures of the mail server. Nothing is sent before paused_until. Both are reset by a success and '
    'by a change of the settings.';
call secure_tenant_table('notification_settings');
call readable_across('notification_settings', 'tenant_id, paused_until');

create table notification_choice (
    tenant_id   uuid        not null references tenant,
    user_id     uuid        not null,
    modes       jsonb       not null default '{}',
    digest_hour int,
    time_zone   text,
    updated_at  timestamptz not null default now(),
    version     int         not null default 1,
    constraint notification_choice_pk primary key (tenant_id, user_id),
    constraint notification_choice_user foreign key (tenant_id, user_id) references app_user (tenant_id, id) on delete cascade,
    constraint notification_choice_hour_valid check (digest_hour between 0 and 23)
);
comment on table notification_choice is 'What a user has chosen about their own notifications.';
call secure_tenant_table('notification_choice');

create table notification (
    tenant_id    uuid        not null references tenant,
    id           uuid        not null default new_event_id(),
    kind         text        not null,
    person_id    uuid        not null,
    subject_type text        not null,
    subject_id   uuid        not null,
    urgent       boolean     not null default false,
    detail       jsonb       not null default '{}',
    state        text        not null default 'pending',
    created_at   timestamptz not null default now(),
    constraint notification_pk primary key (tenant_id, id),
    constraint notification_state_known check (state in ('pending', 'digest'))
);
comment on table notification is
    'One notification of one person that no message contains yet. A pending one is planned next, one of state digest '
    'waits for the digest of the person. It is deleted when it is part of a message, or no longer true.';
comment on column notification.person_id is 'An identity, or a user who is linked to no identity.';
call secure_tenant_table('notification');
create index notification_of_person on notification (tenant_id, person_id, state);
create index notification_of_subject on notification (tenant_id, subject_id);

create table notification_template (
    tenant_id  uuid        not null references tenant,
    kind       text        not null,
    language   text        not null,
    subject    text        not null,
    text       text        not null,
    updated_at timestamptz not null default now(),
    version    int         not null default 1,
    constraint notification_template_pk primary key (tenant_id, kind, language)
);
comment on table notification_template is
    'Subject and text of a kind of notification in a language, as the tenant wrote them. Kinds without a row have the '
    'words of the catalog.';
call secure_tenant_table('notification_template');

create table notification_digest (
    tenant_id uuid        not null references tenant,
    person_id uuid        not null,
    due_at    timestamptz,
    sent_at   timestamptz,
    constraint notification_digest_pk primary key (tenant_id, person_id)
);
comment on table notification_digest is
    'When the digest of a person is due, and when the last one was made. due_at is null while nothing waits for it.';
call secure_tenant_table('notification_digest');
call readable_across('notification_digest', 'tenant_id, due_at');
create index notification_digest_due on notification_digest (due_at) where due_at is not null;

create table notification_told (
    tenant_id  uuid        not null references tenant,
    kind       text        not null,
    subject_id uuid        not null,
    due_at     timestamptz not null,
    constraint notification_told_pk primary key (tenant_id, kind, subject_id, due_at)
);
comment on table notification_told is
    'Dates about which notifications were written, such as the due time of a task. Deleted 30 days after the date.';
call secure_tenant_table('notification_told');

create table mail_message (
    tenant_id   uuid        not null references tenant,
    id          uuid        not null,
    kind        text        not null,
    person_id   uuid,
    name        text        not null default '',
    address     text        not null default '',
    subject     text        not null default '',
    content     jsonb       not null default '{}',
    secret      bytea,
    thread      text        not null default '',
    state       text        not null default 'queued',
    reason      text        not null default '',
    attempts    int         not null default 0,
    repeats     int         not null default 0,
    reply_code  int,
    reply       text        not null default '',
    due_at      timestamptz not null default now(),
    expires_at  timestamptz not null default now() + interval '3 days',
    lease_owner uuid,
    lease_until timestamptz,
    created_at  timestamptz not null default now(),
    sent_at     timestamptz,
    ended_at    timestamptz,
    constraint mail_message_pk primary key (tenant_id, id),
    constraint mail_message_state_known check (state in ('queued', 'sending', 'sent', 'deferred', 'bounced', 'failed', 'suppressed'))
);
comment on table mail_message is
    'One message to one address, with what became of it. Ended messages are deleted after 90 days.';
comment on column mail_message.repeats is
    'Number of attempts whose process ended before it wrote down their outcome. The server may have accepted them.';
comment on column mail_message.thread is 'Object that the message is about. Messages about one object form a thread.';
call secure_tenant_table('mail_message');
call readable_across('mail_message', 'tenant_id, state, due_at, lease_until, ended_at');
create index mail_message_due on mail_message (tenant_id, due_at) where state in ('queued', 'deferred', 'sending');
create index mail_message_listed on mail_message (tenant_id, created_at, id);
create index mail_message_of_person on mail_message (tenant_id, person_id, created_at);
create index mail_message_ended on mail_message (ended_at) where ended_at is not null;

create table mail_bounce (
    tenant_id  uuid        not null references tenant,
    id         uuid        not null default new_event_id(),
    address_lc text        not null,
    message_id uuid        not null,
    reply      text        not null default '',
    bounced_at timestamptz not null default now(),
    kept_at    timestamptz,
    constraint mail_bounce_id_unique unique (tenant_id, id),
    constraint mail_bounce_pk primary key (tenant_id, address_lc)
);
comment on table mail_bounce is
    'Addresses that a mail server rejected for good. Nothing is sent to them until an administrator sends one of '
    'their messages again.';
comment on column mail_bounce.message_id is 'The message whose recipient was rejected last.';
comment on column mail_bounce.kept_at is
    'When an administrator decided that nothing is sent to the address. Null: no one has decided.';
call secure_tenant_table('mail_bounce');

-- +goose StatementBegin
create function rejected_addresses() returns table (id uuid, message_id uuid, address_lc text) language sql stable
as $$
    select b.id, b.message_id, b.address_lc
      from mail_bounce b
     where b.tenant_id = current_tenant()
       and b.kept_at is null
       and (exists (select
                      from app_user u
                     where u.tenant_id = b.tenant_id
                       and u.email_lc = b.address_lc
                       and u.status <> 'disabled')
            or exists (select
                         from identity i
                        where i.tenant_id = b.tenant_id
                          and i.email_lc = b.address_lc
                          and i.status not in ('deactivated', 'archived')))
$$;
-- +goose StatementEnd
comment on function rejected_addresses is
    'Rejected addresses that active people still have, and about which no administrator has decided.';

-- +goose StatementBegin
create function bounce_enters_inbox() returns trigger language plpgsql
as $$
begin
    if coalesce(current_setting('app.erasing', true), '') <> 'yes' then
        perform enqueue_inbox('mail_bounce', case when tg_op = 'DELETE' then old.id else new.id end);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function bounce_enters_inbox is
    'Trigger on mail_bounce: queues a rejected address for a decision task, which is created or closed accordingly.';
create trigger bounce_enters_inbox after insert or update or delete on mail_bounce
    for each row execute function bounce_enters_inbox();

-- +goose StatementBegin
create function notifications_enabled() returns boolean language sql stable
as $$
    select coalesce(current_setting('app.erasing', true), '') <> 'yes'
       and coalesce((select s.enabled and (s.server = 'own' or d.mail) from notification_settings s
                      where s.tenant_id = current_tenant()), d.mail)
      from deployment d
$$;
-- +goose StatementEnd
comment on function notifications_enabled is
    'True if the tenant sends notifications: it has a mail server, its own or that of the installation, and has not '
    'disabled them. Otherwise none are written.';

-- +goose StatementBegin
create function people_with_role(wanted text[]) returns setof uuid language sql stable
as $$
    select distinct coalesce(u.identity_id, u.id)
      from app_user u
     where u.tenant_id = current_tenant()
       and u.status = 'active'
       and u.roles && wanted
$$;
-- +goose StatementEnd
comment on function people_with_role is
    'Active users with one of the roles, as the people that notifications are for: the identity of a user, or the '
    'user where none is linked.';

-- +goose StatementBegin
create function notify_people(kind text, people uuid[], subject_type text, subject uuid, urgent boolean default false,
    detail jsonb default '{}') returns void language plpgsql
as $$
begin
    if not notifications_enabled() then
        return;
    end if;
    insert into notification (tenant_id, kind, person_id, subject_type, subject_id, urgent, detail)
    select current_tenant(), notify_people.kind, p, notify_people.subject_type, notify_people.subject,
           notify_people.urgent, notify_people.detail
      from (select distinct unnest(people) p) d
     where p is not null;
    perform enqueue_work('notifications', people, '', notify_people.urgent::int);
end $$;
-- +goose StatementEnd
comment on function notify_people is
    'Writes a notification of each person in the transaction of its cause, and queues the people for planning.';

-- +goose StatementBegin
create function assignees_are_notified() returns trigger language plpgsql
    set enable_nestloop = off
as $$
begin
    if not notifications_enabled() then
        return null;
    end if;
    with told as (
        insert into notification (tenant_id, kind, person_id, subject_type, subject_id)
        select n.tenant_id,
               case n.via when 'delegate' then 'task.delegated' when 'escalation' then 'task.escalated' else 'task.assigned' end,
               n.identity_id, 'decision_task', n.task_id
          from new_row n
          join decision_task t
            on t.tenant_id = n.tenant_id
           and t.id = n.task_id
         where n.dropped_at is null
           and t.state in ('open', 'claimed')
        returning person_id)
    insert into work_item (tenant_id, kind, subject)
    select distinct current_tenant(), 'notifications', person_id
      from told;
    return null;
end $$;
-- +goose StatementEnd
comment on function assignees_are_notified is
    'Trigger on decision_assignee: writes notifications of new assignees of open decision tasks.';
create trigger assignees_are_notified after insert on decision_assignee referencing new table as new_row
    for each statement execute function assignees_are_notified();

-- +goose StatementBegin
create function assignee_is_notified() returns trigger language plpgsql
as $$
begin
    perform notify_people(
        case new.via when 'delegate' then 'task.delegated' when 'escalation' then 'task.escalated' else 'task.assigned' end,
        array[new.identity_id], 'decision_task', new.task_id);
    return null;
end $$;
-- +goose StatementEnd
comment on function assignee_is_notified is
    'Trigger on decision_assignee: writes a notification when a former assignee becomes one again, or in another way.';
create trigger assignee_is_notified after update on decision_assignee for each row
    when (new.dropped_at is null and (old.dropped_at is not null or old.via <> new.via))
    execute function assignee_is_notified();

-- +goose StatementBegin
create function task_is_notified() returns trigger language plpgsql
as $$
begin
    if tg_op = 'UPDATE' and old.reminded_at is distinct from new.reminded_at and new.reminded_at is not null then
        perform notify_people('task.due', array(select a.identity_id
                                                  from decision_assignee a
                                                 where a.tenant_id = new.tenant_id
                                                   and a.task_id = new.id
                                                   and a.dropped_at is null), 'decision_task', new.id, true);
    end if;
    if new.roles <> '{}' and (tg_op = 'INSERT' or old.roles <> new.roles) and notifications_enabled() then
        if new.urgency > 2 or new.risk_level in ('high', 'critical') then
            perform notify_people('task.role', array(select people_with_role(new.roles)), 'decision_task', new.id, true);
        else
            perform enqueue_work('notifications', array(select people_with_role(new.roles)));
        end if;
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function task_is_notified is
    'Trigger on decision_task: writes notifications when assignees are reminded, and when a task of high priority or '
    'risk is asked of a role. For other tasks of a role, its users are queued, so that their digest lists them.';
create trigger task_is_notified_first after insert on decision_task for each row
    when (new.roles <> '{}') execute function task_is_notified();
create trigger task_is_notified_again after update on decision_task for each row
    when (new.state in ('open', 'claimed')
          and (old.reminded_at is distinct from new.reminded_at or old.roles <> new.roles))
    execute function task_is_notified();

-- +goose StatementBegin
create function request_is_notified() returns trigger language plpgsql
as $$
declare
    kind text;
begin
    if tg_op = 'INSERT' then
        if new.requester_id is distinct from new.requested_for then
            perform notify_people('request.submitted', array[new.requested_for], 'access_request', new.id);
        end if;
        return null;
    end if;
    if old.told <> new.told and new.told <> '' then
        perform notify_people('request.' || new.told, array[coalesce(new.requester_id, new.requester_actor), new.requested_for], 'access_request', new.id);
    end if;
    kind := case when old.status = new.status then null
                 when new.status in ('fulfilled', 'partially_fulfilled') and new.kind <> 'return' then 'request.fulfilled'
                 when new.status = 'failed' then 'request.failed' end;
    if kind is not null then
        perform notify_people(kind, array[coalesce(new.requester_id, new.requester_actor), new.requested_for], 'access_request', new.id);
    end if;
    return null;
end $$;
-- +goose StatementEnd
comment on function request_is_notified is
    'Trigger on access_request: writes notifications of the requester, and of the person whose access is requested.';
create trigger request_is_notified_first after insert on access_request for each row execute function request_is_notified();
create trigger request_is_notified_again after update on access_request for each row
    when (old.status <> new.status or old.told <> new.told) execute function request_is_notified();

-- +goose StatementBegin
create function agent_is_notified() returns trigger language plpgsql
as $$
begin
    perform notify_people('agent.offline', array(select people_with_role('{admin}')), 'agent', new.id, true);
    return null;
end $$;
-- +goose StatementEnd
comment on function agent_is_notified is
    'Trigger on agent: writes notifications of administrators when an agent stays offline beyond its grace period.';
create trigger agent_is_notified after update on agent for each row
    when (new.told_gone_at is not null and old.told_gone_at is null) execute function agent_is_notified();

-- +goose StatementBegin
create function webhook_is_notified() returns trigger language plpgsql
as $$
begin
    perform notify_people('webhook.disabled', array(select people_with_role('{admin}')), 'webhook', new.id, true);
    return null;
end $$;
-- +goose StatementEnd
comment on function webhook_is_notified is
    'Trigger on webhook: writes notifications of administrators when a webhook is disabled because it fails.';
create trigger webhook_is_notified after update on webhook for each row
    when (new.state = 'disabled_auto' and old.state <> 'disabled_auto') execute function webhook_is_notified();

-- +goose StatementBegin
create function connector_is_notified() returns trigger language plpgsql
as $$
begin
    perform notify_people('sync.failing', array(select people_with_role('{admin}')), 'connector', new.id, true);
    return null;
end $$;
-- +goose StatementEnd
comment on function connector_is_notified is
    'Trigger on connector: writes notifications of administrators when a connector is quarantined.';
create trigger connector_is_notified after update on connector for each row
    when (new.status = 'quarantined' and old.status <> 'quarantined') execute function connector_is_notified();

-- +goose StatementBegin
create function provisioning_failure_is_notified() returns trigger language plpgsql
as $$
begin
    perform notify_people('provisioning.failed', array(select people_with_role('{admin}')), 'provisioning_task', new.id);
    return null;
end $$;
-- +goose StatementEnd
comment on function provisioning_failure_is_notified is
    'Trigger on provisioning_task: writes notifications of administrators when a task fails for good.';
create trigger provisioning_failure_is_notified after update on provisioning_task for each row
    when (new.state = 'failed' and old.state <> 'failed') execute function provisioning_failure_is_notified();

-- +goose StatementBegin
create function held_sync_is_notified() returns trigger language plpgsql
as $$
begin
    perform notify_people('sync.held', array(select people_with_role('{admin}')), 'sync_run', new.id);
    return null;
end $$;
-- +goose StatementEnd
comment on function held_sync_is_notified is
    'Trigger on sync_run: writes notifications of administrators when a sync run is held.';
create trigger held_sync_is_notified after update on sync_run for each row
    when (new.status = 'held' and old.status <> 'held') execute function held_sync_is_notified();

-- +goose StatementBegin
create function password_is_notified() returns trigger language plpgsql
as $$
begin
    perform notify_people('password.changed', array[coalesce(new.identity_id, new.id)], 'user', new.id, true);
    return null;
end $$;
-- +goose StatementEnd
comment on function password_is_notified is
    'Trigger on app_user: writes a notification of the user when their password is replaced by another one.';
create trigger password_is_notified after update on app_user for each row
    when (new.password_epoch <> old.password_epoch and old.password_hash is not null and new.password_hash is not null)
    execute function password_is_notified();

-- +goose StatementBegin
create function user_is_forgotten() returns trigger language plpgsql
as $$
begin
    update mail_message m
       set address = '', name = '', reply = '', secret = null,
           state = case when m.state in ('queued', 'deferred') then 'suppressed' else m.state end,
           reason = case when m.state in ('queued', 'deferred') then 'no_address' else m.reason end,
           ended_at = case when m.state in ('queued', 'deferred') then now() else m.ended_at end
     where m.tenant_id = old.tenant_id
       and m.person_id in (old.id, old.identity_id)
       and lower(m.address) = old.email_lc;
    delete from mail_bounce b
     where b.tenant_id = old.tenant_id
       and b.address_lc = old.email_lc
       and not exists (select
                         from identity i
                        where i.tenant_id = b.tenant_id
                          and i.email_lc = b.address_lc);
    return null;
end $$;
-- +goose StatementEnd
comment on function user_is_forgotten is
    'Trigger on app_user: removes the address and the name of a deleted user from the delivery log. What was not sent '
    'yet is not sent.';
create trigger user_is_forgotten after update on app_user for each row
    when (new.deleted_at is not null and old.deleted_at is null) execute function user_is_forgotten();

-- +goose StatementBegin
create function notification_people(ids uuid[]) returns table (person_id uuid, user_id uuid, roles text[], name text,
    address text, time_zone text, modes jsonb, digest_hour int, gone boolean, shared boolean, bounced boolean,
    language text) language sql stable
as $$
    select p.id, u.id, coalesce(u.roles, '{}'), coalesce(i.display_name, u.display_name, ''),
           coalesce(nullif(u.email, ''), i.email, ''),
           coalesce(c.time_zone, nullif(i.timezone, ''), nullif(t.settings ->> 'timezone', ''), 'UTC'),
           coalesce(c.modes, '{}'), c.digest_hour,
           coalesce(i.status in ('deactivated', 'archived'), u.status is null or u.status = 'disabled'),
           exists (select
                     from identity o
                    where o.tenant_id = current_tenant()
                      and o.email_lc = lower(coalesce(nullif(u.email, ''), i.email))
                      and o.id <> p.id
                      and o.status not in ('deactivated', 'archived')
                      and u.id is null),
           exists (select
                     from mail_bounce b
                    where b.tenant_id = current_tenant()
                      and b.address_lc = lower(coalesce(nullif(u.email, ''), i.email))),
           coalesce(nullif(i.locale, ''), nullif(u.locale, ''), 'en')
      from (select distinct unnest(ids) id) p
      join tenant t
        on t.id = current_tenant()
      left join identity i
        on i.tenant_id = current_tenant()
       and i.id = p.id
      left join lateral (select u.id, u.roles, u.display_name, u.email, u.status, u.locale
                           from app_user u
                          where u.tenant_id = current_tenant()
                            and (u.identity_id = p.id or u.id = p.id)
                            and u.status <> 'disabled'
                          order by u.created_at, u.id
                          limit 1) u
        on true
      left join notification_choice c
        on c.tenant_id = current_tenant()
       and c.user_id = u.id
$$;
-- +goose StatementEnd
comment on function notification_people is
    'People with what is needed to send them a notification: address, time zone, language and choices. The address of a user '
    'is that of their sign-in. shared: another active identity has the same address.';

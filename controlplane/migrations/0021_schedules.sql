-- +goose Up

create table connector_schedule (
    tenant_id        uuid        not null references tenant,
    connector_id     uuid        not null,
    incremental_cron text,
    full_cron        text,
    timezone         text        not null default 'UTC',
    jitter           text        not null default 'PT0S',
    incremental_at   timestamptz,
    full_at          timestamptz,
    due_at           timestamptz,
    last_occurrence  jsonb,
    skipped          int         not null default 0,
    created_at       timestamptz not null default now(),
    updated_at       timestamptz not null default now(),
    constraint connector_schedule_pk primary key (tenant_id, connector_id),
    constraint connector_schedule_connector foreign key (tenant_id, connector_id) references connector (tenant_id, id)
);
comment on table connector_schedule is 'When a connector is read by itself.';
comment on column connector_schedule.incremental_at is 'The next occurrence of incremental_cron that nobody has dealt with, without jitter.';
comment on column connector_schedule.full_at is 'The next occurrence of full_cron that nobody has dealt with, without jitter.';
comment on column connector_schedule.due_at is 'When the schedule has to be looked at next: the earlier of the two with its jitter, or later, when something is waited for.';
comment on column connector_schedule.last_occurrence is 'What was done about the last occurrence, and why.';
comment on column connector_schedule.skipped is 'Occurrences that started nothing since the last one that started a run.';
call secure_tenant_table('connector_schedule');
call readable_across('connector_schedule', 'tenant_id, connector_id, due_at');
create index connector_schedule_due on connector_schedule (due_at) where due_at is not null;

alter table connector
    add column status_since timestamptz not null default now(),
    add column status_before text,
    add column trusted_from timestamptz;
update connector set status_since = updated_at;
comment on column connector.status_since is 'When status became what it is.';
comment on column connector.status_before is 'Of a connector that is paused or disabled: the status that it resumes.';
comment on column connector.trusted_from is 'When somebody last said that it should be tried again: refusals of the target before that do not count.';

-- +goose StatementBegin
create function connector_status_moved() returns trigger language plpgsql
as $$
begin
    new.status_since := now();
    return new;
end $$;
-- +goose StatementEnd
create trigger status_moved before update of status on connector
    for each row when (old.status is distinct from new.status) execute function connector_status_moved();

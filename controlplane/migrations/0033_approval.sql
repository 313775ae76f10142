-- +goose Up

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
comment on table work_calendar is 'When people work: what the time to answer is counted in.';
comment on column work_calendar.usual is 'Counted in wherever no calendar is named. At most one is; without one, Monday to Friday from nine to five in the tenant''s zone.';
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
comment on table on_call_schedule is 'Who is on call: people who take turns, each for a shift.';
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
comment on table approval_rule is 'Who must agree to what is asked for. A rule that something uses is not deleted.';
comment on column approval_rule.terms is 'What the rule demands of a request, and how it bounds the access.';
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
comment on table approval_rule_version is 'What an approval rule has said, version by version. It stays when the rule is deleted: requests name it.';
call secure_tenant_table('approval_rule_version', 'select, insert');

-- +goose Up

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
comment on table connector_provisioning is 'How a connector writes. What is null or empty, or has no row, is as the connector''s type and vendor have it.';
call secure_tenant_table('connector_provisioning');

-- Which accounts have to be compared with what their template makes of their owner. Rows are only ever added and taken, never
-- changed, so that nobody who adds one waits.
create table shape_turn (
    tenant_id  uuid        not null references tenant,
    id         bigint      not null generated always as identity,
    account_id uuid        not null,
    why        text        not null,
    not_before timestamptz not null default now(),
    since      timestamptz not null default now(),
    constraint shape_turn_pk primary key (tenant_id, id),
    constraint shape_turn_why_known check (why in ('person', 'account', 'made', 'template', 'adopted', 'asked'))
);
comment on table shape_turn is 'Managed accounts of which the owner, the target''s record or the template has changed.';
comment on column shape_turn.why is
    'person: its owner has changed; account: what the target has; made: we have made it; template: how the connector writes; adopted: it has been given into our hands; asked: somebody wants to know.';
comment on column shape_turn.not_before is 'Of one that waits for a run of its connector to end: when it is looked for again.';
call secure_tenant_table('shape_turn');
call readable_across('shape_turn', 'tenant_id, not_before, since');
create index shape_turn_due on shape_turn (not_before);

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
comment on table account_shape is 'What the template of a managed account always writes, as it was when it was last compared, and where the target has something else.';
comment on column account_shape.desired is 'By target: what the template made. What has changed since is written; what is other in the target is drift.';
comment on column account_shape.drift is 'A list of {field, desired, observed, since}.';
comment on column account_shape.accepted is 'By target: {value, by, at}, what may stay though the template has something else.';
comment on column account_shape.pushed is 'By target: {desired, observed}, what was last written over what, so that a target that takes no notice is not asked again and again.';
comment on column account_shape.problems is 'What the template cannot make of the owner.';
call secure_tenant_table('account_shape');
create index account_shape_drifted on account_shape (tenant_id, connector_id, account_id) where drift <> '[]';

create index account_managed on account (tenant_id, identity_id) where managed = 'managed';

-- +goose StatementBegin
create function account_marks_shape() returns trigger language plpgsql
as $$
begin
    insert into shape_turn (tenant_id, account_id, why)
    values (new.tenant_id, new.id,
            case when tg_op = 'INSERT' or old.status in ('provisioning', 'failed') then 'made'
                 when old.managed <> 'managed' or old.identity_id is distinct from new.identity_id then 'adopted'
                 else 'account' end);
    return null;
end $$;
-- +goose StatementEnd
create trigger account_marks_shape_new after insert on account for each row
    when (new.managed = 'managed' and new.identity_id is not null and new.status in ('active', 'disabled', 'locked'))
    execute function account_marks_shape();
create trigger account_marks_shape after update on account for each row
    when (new.managed = 'managed' and new.identity_id is not null and new.status in ('active', 'disabled', 'locked')
      and (old.managed <> 'managed' or old.identity_id is distinct from new.identity_id or old.status is distinct from new.status
        or old.username is distinct from new.username or old.email is distinct from new.email or old.display_name is distinct from new.display_name
        or old.first_name is distinct from new.first_name or old.last_name is distinct from new.last_name
        or old.employee_number is distinct from new.employee_number or old.attributes is distinct from new.attributes
        or old.native_identity is distinct from new.native_identity or old.row_hash = '\x' and new.row_hash <> '\x'
        or new.row_hash = '\x' and old.version is distinct from new.version))
    execute function account_marks_shape();

-- What templates can say of a person, as directory.EachFacts tells it, and of their manager.
-- +goose StatementBegin
create function identity_marks_shape() returns trigger language plpgsql
as $$
begin
    insert into shape_turn (tenant_id, account_id, why)
    select a.tenant_id, a.id, 'person'
      from account a
     where a.tenant_id = new.tenant_id
       and a.identity_id = new.id
       and a.managed = 'managed';
    return null;
end $$;
-- +goose StatementEnd
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

-- +goose StatementBegin
create function manager_marks_shape() returns trigger language plpgsql
as $$
begin
    insert into shape_turn (tenant_id, account_id, why)
    select a.tenant_id, a.id, 'person'
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
create trigger manager_marks_shape after update on identity for each row
    when ((old.external_id, old.email, old.username, old.display_name) is distinct from (new.external_id, new.email, new.username, new.display_name))
    execute function manager_marks_shape();

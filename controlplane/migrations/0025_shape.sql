-- +goose Up

create table connector_provisioning (
    tenant_id           uuid        not null references tenant,
    connector_id        uuid        not null,
    write_mode          text        not null default 'auto',
    account             jsonb       not null default '{}',
    deprovision         jsonb       not null default '{}',
    native_grant_policy text        not null default 'review',
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
comment on table connector_provisioning is 'How a connector writes. One without a row has the defaults of its type.';
call secure_tenant_table('connector_provisioning');

-- +goose Up

create table deployment_secret (
    name       text        not null,
    sealed     bytea       not null,
    created_at timestamptz not null default now(),
    constraint deployment_secret_pk primary key (name)
);
comment on table deployment_secret is
    'Keys of the deployment that outlive the master key, sealed under it: what seals cursors, what signs callbacks, and what ties sign-ins with outside providers together.';
grant select, insert, update on deployment_secret to grantwright_app;

alter table tenant_key add column settled_at timestamptz;
comment on column tenant_key.settled_at is
    'When a rotation had sealed all of the tenant''s values under this key. Null while one is under way, and for a first key.';

grant select on schema_migration to grantwright_app;

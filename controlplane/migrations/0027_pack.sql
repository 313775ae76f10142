-- +goose Up

create table sector_pack_installation (
    tenant_id        uuid        not null references tenant,
    id               uuid        not null,
    pack_key         text        not null,
    pack_version     text        not null,
    state            text        not null default 'installed',
    parameters       jsonb       not null default '{}',
    previous_version text,
    installed_by     jsonb       not null default '{}',
    installed_at     timestamptz not null default now(),
    updated_at       timestamptz not null default now(),
    version          int         not null default 1,
    constraint sector_pack_installation_pk primary key (tenant_id, id),
    constraint sector_pack_installation_unique unique (tenant_id, pack_key)
);
comment on table sector_pack_installation is 'A sector pack of this tenant.';
call secure_tenant_table('sector_pack_installation');

create table sector_pack_object (
    tenant_id       uuid        not null references tenant,
    installation_id uuid        not null,
    kind            text        not null,
    object_key      text        not null,
    object_id       uuid,
    content         jsonb       not null,
    state           text        not null default 'installed',
    constraint sector_pack_object_pk primary key (tenant_id, installation_id, kind, object_key),
    constraint sector_pack_object_installation foreign key (tenant_id, installation_id) references sector_pack_installation (tenant_id, id) on delete cascade
);
comment on table sector_pack_object is 'What a pack brought, as the pack has it: the common ancestor when a new version is merged with what the tenant made of it.';
call secure_tenant_table('sector_pack_object');

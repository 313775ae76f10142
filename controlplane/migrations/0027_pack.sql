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

alter table sector_pack_installation
    add column checksum       text        not null default '',
    add column source         text        not null default 'built_in',
    add column uninstall_mode text,
    add column pending        boolean     not null default false,
    add column looked_at      timestamptz not null default now(),
    add constraint sector_pack_installation_state_known check (state in ('installed', 'uninstalled')),
    add constraint sector_pack_installation_source_known check (source in ('built_in', 'uploaded')),
    add constraint sector_pack_installation_mode_known check (uninstall_mode in ('detach', 'remove_unused', 'remove_all'));
comment on column sector_pack_installation.state is 'One that is uninstalled stays as a row: what it left behind, and how, can be read of it.';
comment on column sector_pack_installation.pending is 'Something of it waits: a selector for what it selects, or a role for its last holder.';
comment on column sector_pack_installation.looked_at is 'When what waits was last looked at.';
call readable_across('sector_pack_installation', 'tenant_id, id, pending, looked_at');
create index sector_pack_installation_pending on sector_pack_installation (looked_at) where pending;

alter table sector_pack_object
    add column applied jsonb,
    add column pending jsonb   not null default '[]',
    add column adopted boolean not null default false,
    add column reason  text,
    add constraint sector_pack_object_state_known check (state in ('installed', 'pending_binding', 'conflict', 'skipped', 'leaving'));
comment on column sector_pack_object.content is 'As the pack has it, with the tenant''s parameters in their places.';
comment on column sector_pack_object.applied is 'What the pack makes of the tenant''s object, field by field: the common ancestor of the tenant''s changes and the next version.';
comment on column sector_pack_object.pending is 'The selectors that have found nothing yet.';
comment on column sector_pack_object.adopted is 'The tenant had the object before the pack came: it is never removed with it.';
comment on column sector_pack_object.state is 'leaving: a role that is retired as soon as nobody holds anything through it.';

create table sector_pack_conflict (
    tenant_id       uuid        not null references tenant,
    id              uuid        not null,
    installation_id uuid        not null,
    kind            text        not null,
    object_key      text        not null,
    fields          text[]      not null,
    base            jsonb,
    mine            jsonb       not null,
    theirs          jsonb,
    state           text        not null default 'open',
    resolution      text,
    resolved_by     jsonb,
    resolved_at     timestamptz,
    created_at      timestamptz not null default now(),
    version         int         not null default 1,
    constraint sector_pack_conflict_pk primary key (tenant_id, id),
    constraint sector_pack_conflict_installation foreign key (tenant_id, installation_id) references sector_pack_installation (tenant_id, id) on delete cascade,
    constraint sector_pack_conflict_state_known check (state in ('open', 'resolved', 'superseded')),
    constraint sector_pack_conflict_resolution_known check (resolution in ('mine', 'theirs', 'merged'))
);
comment on table sector_pack_conflict is 'Where a pack and the tenant want different things of one object. Until somebody decides, the tenant''s stays.';
call secure_tenant_table('sector_pack_conflict');
create unique index sector_pack_conflict_one_open on sector_pack_conflict (tenant_id, installation_id, kind, object_key) where state = 'open';
create index sector_pack_conflict_by_installation on sector_pack_conflict (tenant_id, installation_id, id);

create table sector_pack_upload (
    tenant_id    uuid        not null references tenant,
    pack_key     text        not null,
    pack_version text        not null,
    checksum     text        not null,
    key_id       text,
    entry        jsonb       not null,
    archive      bytea       not null,
    uploaded_by  jsonb       not null default '{}',
    uploaded_at  timestamptz not null default now(),
    constraint sector_pack_upload_pk primary key (tenant_id, pack_key, pack_version)
);
comment on table sector_pack_upload is 'Packs that a tenant has brought itself. key_id is the trusted key that has signed it; null: it is not signed, and the operator allows that.';
call secure_tenant_table('sector_pack_upload');

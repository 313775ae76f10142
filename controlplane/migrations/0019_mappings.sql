-- +goose Up

create table schema_snapshot (
    tenant_id    uuid        not null references tenant,
    id           uuid        not null,
    connector_id uuid        not null,
    source       text        not null,
    objects      jsonb       not null,
    warnings     jsonb       not null default '[]',
    digest       text        not null,
    executed_by  jsonb,
    taken_by     jsonb       not null default '{}',
    taken_at     timestamptz not null default now(),
    constraint schema_snapshot_pk primary key (tenant_id, id),
    constraint schema_snapshot_connector foreign key (tenant_id, connector_id) references connector (tenant_id, id),
    constraint schema_snapshot_source_known check (source in ('wizard', 'rediscover', 'auto'))
);
comment on table schema_snapshot is 'What a look at a target showed: its fields with types and samples, without secrets. It never changes.';
call secure_tenant_table('schema_snapshot');
create index schema_snapshot_by_connector on schema_snapshot (tenant_id, connector_id, taken_at desc, id desc);

create table field_mapping (
    tenant_id    uuid        not null references tenant,
    id           uuid        not null,
    connector_id uuid        not null,
    position     int         not null,
    object       text        not null,
    source_path  text        not null,
    action       text        not null,
    target_field text        not null default '',
    transform    text        not null default '',
    heuristic    text        not null default '',
    confidence   float8      not null default 0,
    note         text        not null default '',
    overridden   boolean     not null default false,
    constraint field_mapping_pk primary key (tenant_id, id),
    constraint field_mapping_connector foreign key (tenant_id, connector_id) references connector (tenant_id, id),
    constraint field_mapping_object_known check (object in ('identity', 'account')),
    constraint field_mapping_action_known check (action in ('map', 'ignore'))
);
comment on table field_mapping is 'What is done with each field of a connector''s records. A connector without any is mapped by heuristics.';
call secure_tenant_table('field_mapping');
-- A field's name may be longer than an entry of an index.
create unique index field_mapping_source_unique on field_mapping (tenant_id, connector_id, object, md5(source_path));
create unique index field_mapping_target_unique on field_mapping (tenant_id, connector_id, object, target_field) where target_field <> '';
create index field_mapping_in_order on field_mapping (tenant_id, connector_id, position);

alter table connector
    add column schema_snapshot_id     uuid,
    add column mapping_version        int not null default 0,
    add column copied_mapping_from_id uuid,
    add constraint connector_copied_from foreign key (tenant_id, copied_mapping_from_id) references connector (tenant_id, id);
comment on column connector.schema_snapshot_id is
    'The look at the target that its mappings are about. No foreign key: snapshots are never deleted before their connector, and erasing a tenant needs tables that do not refer to each other in a circle.';
comment on column connector.mapping_version is 'How often the mappings were written; 0: never, and heuristics map.';

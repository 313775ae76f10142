-- +goose Up

create table schema_diff (
    tenant_id        uuid        not null references tenant,
    id               uuid        not null,
    connector_id     uuid        not null,
    from_snapshot_id uuid        not null,
    to_snapshot_id   uuid        not null,
    base_snapshot_id uuid        not null,
    state            text        not null default 'open',
    added            jsonb       not null,
    removed          jsonb       not null,
    type_changed     jsonb       not null,
    decisions        jsonb       not null default '[]',
    replaced_by_id   uuid,
    version          int         not null default 1,
    created_at       timestamptz not null default now(),
    updated_at       timestamptz not null default now(),
    closed_at        timestamptz,
    constraint schema_diff_pk primary key (tenant_id, id),
    constraint schema_diff_connector foreign key (tenant_id, connector_id) references connector (tenant_id, id),
    constraint schema_diff_from foreign key (tenant_id, from_snapshot_id) references schema_snapshot (tenant_id, id),
    constraint schema_diff_to foreign key (tenant_id, to_snapshot_id) references schema_snapshot (tenant_id, id),
    constraint schema_diff_base foreign key (tenant_id, base_snapshot_id) references schema_snapshot (tenant_id, id),
    constraint schema_diff_replaced_by foreign key (tenant_id, replaced_by_id) references schema_diff (tenant_id, id),
    constraint schema_diff_state_known check (state in ('open', 'accepted', 'partially_accepted', 'dismissed'))
);
comment on table schema_diff is 'What a later look at a target showed otherwise than the snapshot that its connector''s mappings are about, and what was decided about it.';
comment on column schema_diff.base_snapshot_id is 'What the decisions start from: the snapshot it was made against, or that with what was decided so far.';
call secure_tenant_table('schema_diff');
create unique index schema_diff_one_open on schema_diff (tenant_id, connector_id) where closed_at is null;
create index schema_diff_by_connector on schema_diff (tenant_id, connector_id, created_at desc, id desc);

-- +goose Up

alter table entitlement
    add column permission_summary text[]  not null default '{}',
    add column backup_owner_ids   uuid[]  not null default '{}',
    add column compliance_tags    text[]  not null default '{}',
    add column duty_tags          text[]  not null default '{}',
    add column data_classes       text[]  not null default '{}',
    add column privileged_source  text,
    add column max_duration       text,
    add column default_duration   text,
    add column extension_max      text,
    add column approval_rule_id   uuid,
    add column visible_to         jsonb,
    add column replacement_id     uuid;
comment on column entitlement.visible_to is 'Whom it is offered to who may ask for access: a condition. Null: everybody.';

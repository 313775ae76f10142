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

-- A million grants may follow from nesting at once, and the look at the tenant for each of them was most of what that took. Row security
-- sees to it that a grant is the tenant's own.
alter table access_grant drop constraint access_grant_tenant_id_fkey;

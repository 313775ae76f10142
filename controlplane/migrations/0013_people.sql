-- +goose Up

alter table app_user
    add column locale     text        not null default 'en',
    add column invited_at timestamptz,
    add column deleted_at timestamptz;
comment on column app_user.invited_at is 'When an administrator last made a sign-in link for the user.';
comment on column app_user.deleted_at is
    'When the user was deleted. What is left is the id, which the audit log and what the user decided refer to; address, name, roles and every way to sign in are gone.';
create unique index app_user_identity_unique on app_user (tenant_id, identity_id) where identity_id is not null;

create table api_token (
    tenant_id              uuid        not null references tenant,
    id                     uuid        not null,
    jti                    uuid        not null,
    name                   text        not null,
    description            text        not null default '',
    scopes                 text[]      not null,
    role                   text        not null,
    bound_identity_id      uuid,
    allowed_cidrs          text[]      not null default '{}',
    rate_rps               int,
    rate_burst             int,
    idle_after             interval    not null,
    expires_at             timestamptz not null,
    created_by             uuid        not null,
    made_by                uuid,
    awake_since            timestamptz not null,
    last_used_at           timestamptz,
    last_used_ip           text,
    disabled_at            timestamptz,
    disabled_reason        text,
    revoked_at             timestamptz,
    rotated_from_id        uuid,
    rotation_overlap_until timestamptz,
    created_at             timestamptz not null default now(),
    updated_at             timestamptz not null default now(),
    version                int         not null default 1,
    constraint api_token_pk primary key (tenant_id, id),
    constraint api_token_jti_unique unique (tenant_id, jti),
    constraint api_token_creator foreign key (tenant_id, created_by) references app_user (tenant_id, id),
    constraint api_token_maker foreign key (tenant_id, made_by) references api_token (tenant_id, id),
    constraint api_token_predecessor foreign key (tenant_id, rotated_from_id) references api_token (tenant_id, id),
    constraint api_token_role_known check (role in ('manager', 'resource_owner', 'admin', 'auditor')),
    constraint api_token_bound check (role in ('admin', 'auditor') or bound_identity_id is not null),
    constraint api_token_rate_whole check ((rate_rps is null) = (rate_burst is null)),
    constraint api_token_disabled_for check ((disabled_at is null) = (disabled_reason is null)),
    constraint api_token_reason_known check (disabled_reason in ('administrator', 'idle'))
);
comment on table api_token is 'A token of an integration. The token itself is not kept: it names this row by its jti, and its rights stand here.';
comment on column api_token.created_by is 'The administrator on whose rights the token stands: without them it is dead.';
comment on column api_token.made_by is 'The token that made this one, which is dead while that one is disabled and revoked together with it: see token_stands.';
comment on column api_token.awake_since is 'When it was made or last enabled: a token that nobody uses for idle_after since is disabled.';
comment on column api_token.rotation_overlap_until is 'When the token ends because it was rotated; its successor has it as rotated_from_id.';
call secure_tenant_table('api_token', 'select, insert, update');
create index api_token_by_maker on api_token (tenant_id, made_by) where made_by is not null;
create index api_token_by_predecessor on api_token (tenant_id, rotated_from_id) where rotated_from_id is not null;

-- +goose StatementBegin
create function token_stands(maker uuid, moment timestamptz) returns boolean language sql stable
as $$
    with recursive makers as (
        select k.* from api_token k where k.tenant_id = current_tenant() and k.id = maker
         union
        select k.* from makers m join api_token k on k.tenant_id = m.tenant_id and k.id = m.made_by)
    select not exists (
        select from makers m
          join app_user u on u.tenant_id = m.tenant_id and u.id = m.created_by
         where m.revoked_at is not null
            or m.disabled_at is not null
            or u.status <> 'active'
            or not 'admin' = any (u.roles)
            or greatest(m.last_used_at, m.awake_since) + m.idle_after <= least(moment, m.expires_at, m.rotation_overlap_until))
$$;
-- +goose StatementEnd
comment on function token_stands(uuid, timestamptz) is
    'Whether a token, and whatever made it, are neither revoked, disabled, idle nor without an administrator. That one of them has come to its end, by itself or by being replaced, does not count, nor how long it was unused after it.';

create trigger announce after update on api_token
    for each row when ((old.revoked_at, old.disabled_at, old.rotation_overlap_until, old.allowed_cidrs, old.rate_rps, old.rate_burst)
         is distinct from (new.revoked_at, new.disabled_at, new.rotation_overlap_until, new.allowed_cidrs, new.rate_rps, new.rate_burst))
    execute function announce_auth_change();

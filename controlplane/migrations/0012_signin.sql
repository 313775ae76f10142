-- +goose Up

create table deployment (
    only_row   boolean     not null default true,
    epoch      bigint      not null default 0,
    changed_at timestamptz not null default now(),
    constraint deployment_pk primary key (only_row),
    constraint deployment_one_row check (only_row)
);
comment on table deployment is
    'What belongs to the deployment as a whole, in one row. The epoch is raised after a restore: tokens carry it, so none from before comes back to life.';
insert into deployment default values;
grant select, update on deployment to grantwright_app;
grant select on deployment to grantwright_across;

alter table signing_key add column activated_at timestamptz;
alter table signing_key add column ended_at timestamptz;
comment on column signing_key.ended_at is 'When the key signed for the last time: it moved on to verify_only, or was retired.';
update signing_key set activated_at = created_at where state = 'active';

-- +goose StatementBegin
create function announce_auth_change() returns trigger language plpgsql
as $$
begin
    perform pg_notify('grantwright_auth', '');
    return null;
end $$;
-- +goose StatementEnd
comment on function announce_auth_change() is
    'Tells every process, when the transaction commits, that somebody''s rights may have changed. A trigger does it, so that whoever changes a row cannot forget.';

create trigger announce after update on deployment
    for each statement execute function announce_auth_change();
create trigger announce after insert or update or delete on signing_key
    for each statement execute function announce_auth_change();
create trigger announce after update on tenant
    for each row when (old.status is distinct from new.status) execute function announce_auth_change();
create trigger announce after update on app_user
    for each row when ((old.roles, old.status, old.password_epoch, old.control_plane_admin, old.identity_id)
         is distinct from (new.roles, new.status, new.password_epoch, new.control_plane_admin, new.identity_id))
    execute function announce_auth_change();
create trigger announce_gone after delete on app_user
    for each row execute function announce_auth_change();
create trigger announce after update on auth_session
    for each row when (old.revoked_at is distinct from new.revoked_at) execute function announce_auth_change();

alter table auth_session add column method text not null default 'password';
alter table auth_session add column ip text not null default '';
alter table auth_session add column user_agent text not null default '';
alter table auth_session add column epoch bigint not null default 0;
alter table auth_session add column provider_id uuid;
create index auth_session_by_provider on auth_session (tenant_id, provider_id) where provider_id is not null;
comment on column auth_session.method is 'How its user signed in: password, password_otp, sign_in_link, oidc.';
comment on column auth_session.provider_id is 'The outside provider that vouched for its user. When that goes, so does the session; it may be gone already, so nothing is referred to.';
comment on column auth_session.epoch is 'The deployment''s when it began. One of an earlier epoch is over, whatever its times say.';

alter table signin_link add column epoch bigint not null default 0;

create table second_factor (
    tenant_id    uuid        not null references tenant,
    user_id      uuid        not null,
    secret       bytea       not null,
    confirmed_at timestamptz,
    last_step    bigint      not null default 0,
    failures     int         not null default 0,
    failed_at    timestamptz,
    created_at   timestamptz not null default now(),
    constraint second_factor_pk primary key (tenant_id, user_id),
    constraint second_factor_user foreign key (tenant_id, user_id) references app_user (tenant_id, id) on delete cascade
);
comment on table second_factor is 'A user''s one-time codes (RFC 6238). The secret is sealed; last_step makes each code good for once.';
call secure_tenant_table('second_factor');

create table recovery_code (
    tenant_id uuid        not null references tenant,
    user_id   uuid        not null,
    code_hash bytea       not null,
    used_at   timestamptz,
    constraint recovery_code_pk primary key (tenant_id, user_id, code_hash),
    constraint recovery_code_factor foreign key (tenant_id, user_id) references second_factor (tenant_id, user_id) on delete cascade
);
comment on table recovery_code is 'Codes that stand in once each for a lost second factor. Only their hashes are kept.';
call secure_tenant_table('recovery_code');

create table identity_provider (
    tenant_id     uuid        not null references tenant,
    id            uuid        not null,
    name          text        not null,
    issuer        text        not null,
    client_id     text        not null,
    client_secret bytea,
    secret_set_at timestamptz,
    scopes        text[]      not null,
    group_claim   text        not null default '',
    role_mapping  jsonb       not null default '{}',
    domains       text[]      not null default '{}',
    create_users  boolean     not null default false,
    enabled       boolean     not null default true,
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now(),
    version       int         not null default 1,
    constraint identity_provider_pk primary key (tenant_id, id),
    constraint identity_provider_name_unique unique (tenant_id, name),
    constraint identity_provider_name_shape check (name ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$')
);
comment on table identity_provider is 'An OpenID Connect provider that a tenant''s people sign in with. The client''s secret is sealed.';
call secure_tenant_table('identity_provider');

create table federated_login (
    tenant_id     uuid        not null references tenant,
    issuer        text        not null,
    subject       text        not null,
    user_id       uuid        not null,
    provider_id   uuid,
    granted_roles text[]      not null default '{}',
    created_at    timestamptz not null default now(),
    last_used_at  timestamptz not null default now(),
    constraint federated_login_pk primary key (tenant_id, issuer, subject),
    constraint federated_login_user foreign key (tenant_id, user_id) references app_user (tenant_id, id) on delete cascade
);
comment on table federated_login is 'Which user somebody of an outside issuer is here.';
comment on column federated_login.granted_roles is 'The roles that the mapping of groups gave, and that it therefore takes away again. Those that an administrator gave are not among them.';
comment on column federated_login.provider_id is 'By which provider they came the last time: the roles are its mapping''s, and go with it. It may be gone already.';
call secure_tenant_table('federated_login');
create index federated_login_by_user on federated_login (tenant_id, user_id);
create index federated_login_by_provider on federated_login (tenant_id, provider_id);

create table oidc_flow (
    tenant_id     uuid        not null references tenant,
    state_hash    bytea       not null,
    provider_id   uuid        not null,
    browser_hash  bytea       not null,
    redirect      text        not null default '',
    expires_at    timestamptz not null,
    used_at       timestamptz,
    user_id       uuid,
    code_hash     bytea,
    constraint oidc_flow_pk primary key (tenant_id, state_hash),
    constraint oidc_flow_provider foreign key (tenant_id, provider_id) references identity_provider (tenant_id, id) on delete cascade,
    constraint oidc_flow_user foreign key (tenant_id, user_id) references app_user (tenant_id, id) on delete cascade
);
comment on table oidc_flow is 'A sign-in on its way through an outside provider, bound to the browser that began it, and afterwards the one-time code for its tokens.';
call secure_tenant_table('oidc_flow');
create unique index oidc_flow_by_code on oidc_flow (tenant_id, code_hash);

-- +goose Up

-- Users, sessions, service tokens, second factors and identity providers; then the audit log.

-- Functions are created before the tables that they read.
set local check_function_bodies = off;

create table app_user (
    tenant_id           uuid        not null references tenant,
    id                  uuid        not null,
    email               text        not null,
    email_lc            text        not null generated always as (lower(email)) stored,
    display_name        text        not null default '',
    identity_id         uuid,
    roles               text[]      not null default '{}',
    control_plane_admin boolean     not null default false,
    password_hash       text,
    password_epoch      int         not null default 1,
    status              text        not null default 'active',
    last_login_at       timestamptz,
    created_at          timestamptz not null default now(),
    updated_at          timestamptz not null default now(),
    version             int         not null default 1,
    locale              text        not null default 'en',
    invited_at          timestamptz,
    deleted_at          timestamptz,
    by_rule             boolean     not null default false,
    rule_roles          text[]      not null default '{}',
    ended_by_rule       boolean     not null default false,
    constraint app_user_pk primary key (tenant_id, id),
    constraint app_user_email_unique unique (tenant_id, email_lc),
    constraint app_user_roles_known check (roles <@ array['manager', 'resource_owner', 'admin', 'auditor']),
    constraint app_user_status_known check (status in ('invited', 'active', 'disabled'))
);
comment on table app_user is 'One user account for signing in to Grantwright.';
comment on column app_user.invited_at is
    'When an administrator last created a sign-in link for the user. Null if no link was created.';
comment on column app_user.deleted_at is
    'When the user was deleted. Only the ID remains, because the audit log and past decisions refer to it. The '
    'address, name, roles and credentials are erased. Null while the user exists.';
comment on column app_user.by_rule is
    'Whether sign-in rules created the user and can disable it. False once an administrator enabled it again.';
comment on column app_user.rule_roles is
    'Roles that sign-in rules assigned and can therefore remove. Roles that an administrator assigned are not '
    'included.';
comment on column app_user.ended_by_rule is
    'Whether sign-in rules disabled the user. They enable only such a user again.';
call secure_tenant_table('app_user');
call readable_across('app_user');
create index app_user_by_email on app_user (email_lc, tenant_id);
create unique index app_user_identity_unique on app_user (tenant_id, identity_id) where identity_id is not null;

create table auth_session (
    tenant_id       uuid        not null references tenant,
    id              uuid        not null,
    user_id         uuid        not null,
    refresh_jti     bytea       not null,
    created_at      timestamptz not null default now(),
    last_used_at    timestamptz not null default now(),
    idle_expires_at timestamptz not null,
    expires_at      timestamptz not null,
    revoked_at      timestamptz,
    revoked_reason  text,
    method          text        not null default 'password',
    ip              text        not null default '',
    user_agent      text        not null default '',
    epoch           bigint      not null default 0,
    provider_id     uuid,
    constraint auth_session_pk primary key (tenant_id, id),
    constraint auth_session_user foreign key (tenant_id, user_id) references app_user (tenant_id, id) on delete cascade
);
comment on table auth_session is
    'One sign-in session of a user, with its family of refresh tokens. Only the hash of the newest refresh '
    'token''s jti is stored.';
comment on column auth_session.method is 
    'How the user signed in: password, password_otp, password_passkey, passkey, sign_in_link or oidc.';
comment on column auth_session.epoch is
    'Epoch of the deployment when the session began. A session from an earlier epoch is invalid, even if it has '
    'not expired.';
comment on column auth_session.provider_id is
    'Identity provider that authenticated the user. Deleting the provider ends the session. There is no foreign '
    'key, because the provider may already be deleted. Null for other sign-in methods.';
call secure_tenant_table('auth_session');
create index auth_session_by_provider on auth_session (tenant_id, provider_id) where provider_id is not null;
create index auth_session_by_user on auth_session (tenant_id, user_id);

create table login_failure (
    key bytea       not null,
    at  timestamptz not null default now()
);
comment on table login_failure is
    'One failed sign-in, counted by a hash of the account, the network, or both. All processes use these counts '
    'for throttling.';
grant select, insert, delete on login_failure to grantwright_app;
create index login_failure_by_key on login_failure (key, at);

create table signin_link (
    tenant_id  uuid        not null references tenant,
    token_hash bytea       not null,
    user_id    uuid        not null,
    expires_at timestamptz not null,
    used_at    timestamptz,
    epoch      bigint      not null default 0,
    mailed_to  text,
    constraint signin_link_pk primary key (tenant_id, token_hash),
    constraint signin_link_user foreign key (tenant_id, user_id) references app_user (tenant_id, id) on delete cascade
);
comment on table signin_link is
    'One single-use link for setting a password and signing in. It is created for the first administrator, when an '
    'administrator creates a link for a user, and when a user asks to reset their password.';
comment on column signin_link.mailed_to is
    'Lowercase address to which the link was sent because the user asked to reset their password. It works only '
    'while this is the address of the user. Null for links that an administrator created.';
call secure_tenant_table('signin_link');
call readable_across('signin_link');

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
comment on table second_factor is
    'Second factor of a user for one-time codes (RFC 6238). The secret is encrypted. The column last_step '
    'prevents a code from being used twice.';
call secure_tenant_table('second_factor');

create table recovery_code (
    tenant_id uuid        not null references tenant,
    user_id   uuid        not null,
    code_hash bytea       not null,
    used_at   timestamptz,
    constraint recovery_code_pk primary key (tenant_id, user_id, code_hash),
    constraint recovery_code_factor foreign key (tenant_id, user_id) references second_factor (tenant_id, user_id) on delete cascade
);
comment on table recovery_code is
    'One single-use recovery code that replaces a lost second factor. Only the hash is stored.';
call secure_tenant_table('recovery_code');

create table passkey (
    tenant_id     uuid        not null references tenant,
    id            uuid        not null,
    user_id       uuid        not null,
    name          text        not null,
    relying_party text        not null,
    credential_id bytea       not null,
    public_key    bytea       not null,
    sign_count    bigint      not null default 0,
    syncable      boolean     not null,
    backed_up     boolean     not null,
    transports    text[]      not null default '{}',
    created_at    timestamptz not null default now(),
    last_used_at  timestamptz,
    constraint passkey_pk primary key (tenant_id, id),
    constraint passkey_credential_unique unique (tenant_id, credential_id),
    constraint passkey_user foreign key (tenant_id, user_id) references app_user (tenant_id, id) on delete cascade
);
comment on table passkey is
    'One passkey of a user (WebAuthn). It verifies its user, so that it signs in without a password and counts as a '
    'second factor.';
comment on column passkey.relying_party is 'Host name that the passkey belongs to. It works only there.';
comment on column passkey.credential_id is 'ID that the authenticator gave the passkey.';
comment on column passkey.public_key is 'Public key of the passkey in COSE format (RFC 9052).';
comment on column passkey.sign_count is
    'Counter of the last signature. A signature whose counter is not higher is refused, because the passkey was '
    'copied. Always 0 for passkeys without a counter.';
comment on column passkey.syncable is 'Whether a password manager can copy the passkey to other devices.';
comment on column passkey.backed_up is 'Whether the passkey was copied to other devices at its last use.';
comment on column passkey.transports is 'Ways to reach the authenticator, such as usb or internal, for the browser.';
call secure_tenant_table('passkey');
create index passkey_by_user on passkey (tenant_id, user_id);

create table passkey_challenge (
    hash       bytea       not null,
    expires_at timestamptz not null,
    constraint passkey_challenge_pk primary key (hash)
);
comment on table passkey_challenge is
    'One challenge for a passkey, hashed with its purpose and, if the user is signed in, the session. It is deleted '
    'when it is used. Challenges of sign-ins belong to no tenant, because the user is not known yet.';
grant select, insert, delete on passkey_challenge to grantwright_app;
create index passkey_challenge_by_expiry on passkey_challenge (expires_at);

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
comment on table identity_provider is
    'One OpenID Connect provider through which a tenant''s users sign in. The client secret is encrypted.';
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
comment on table federated_login is 'Link between a user and their account at an external identity provider.';
comment on column federated_login.provider_id is
    'Identity provider of the last sign-in. The granted roles come from its mapping and are removed with it. The '
    'provider may already be deleted.';
comment on column federated_login.granted_roles is
    'Roles that the group mapping assigned and can therefore remove. Roles that an administrator assigned are not '
    'included.';
call secure_tenant_table('federated_login');
create index federated_login_by_provider on federated_login (tenant_id, provider_id);
create index federated_login_by_user on federated_login (tenant_id, user_id);

create table oidc_flow (
    tenant_id    uuid        not null references tenant,
    state_hash   bytea       not null,
    provider_id  uuid        not null,
    browser_hash bytea       not null,
    redirect     text        not null default '',
    expires_at   timestamptz not null,
    used_at      timestamptz,
    user_id      uuid,
    code_hash    bytea,
    constraint oidc_flow_pk primary key (tenant_id, state_hash),
    constraint oidc_flow_provider foreign key (tenant_id, provider_id) references identity_provider (tenant_id, id) on delete cascade,
    constraint oidc_flow_user foreign key (tenant_id, user_id) references app_user (tenant_id, id) on delete cascade
);
comment on table oidc_flow is
    'One sign-in in progress through an external identity provider, bound to the browser that began it. '
    'Afterwards it contains the one-time code for the tokens.';
call secure_tenant_table('oidc_flow');
create unique index oidc_flow_by_code on oidc_flow (tenant_id, code_hash);

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
    constraint api_token_bound check (role in ('admin', 'auditor') or bound_identity_id is not null),
    constraint api_token_disabled_for check ((disabled_at is null) = (disabled_reason is null)),
    constraint api_token_rate_whole check ((rate_rps is null) = (rate_burst is null)),
    constraint api_token_reason_known check (disabled_reason in ('administrator', 'idle')),
    constraint api_token_role_known check (role in ('manager', 'resource_owner', 'admin', 'auditor'))
);
comment on table api_token is
    'One service token of an integration. The token is not stored. It refers to this row by its jti, and its '
    'permissions are stored here.';
comment on column api_token.created_by is
    'Administrator whose permissions the token depends on. The token stops working if this user is no longer an '
    'active administrator.';
comment on column api_token.made_by is
    'Token that created this token. If that token is disabled, this token does not work; if it is revoked, this '
    'token is revoked. See token_stands(). Null if a user created the token.';
comment on column api_token.awake_since is
    'When the token was created or last enabled. The idle time starts here; a token that is unused for idle_after '
    'is disabled.';
comment on column api_token.rotation_overlap_until is
    'When the token ends after a rotation. Its successor refers to it in rotated_from_id. Null if the token was '
    'not rotated.';
call secure_tenant_table('api_token', 'select, insert, update');
create index api_token_by_identity on api_token (tenant_id, bound_identity_id) where bound_identity_id is not null;
create index api_token_by_maker on api_token (tenant_id, made_by) where made_by is not null;
create index api_token_by_predecessor on api_token (tenant_id, rotated_from_id) where rotated_from_id is not null;

create table login_success (
    key bytea       not null,
    at  timestamptz not null default now(),
    constraint login_success_pk primary key (key)
);
comment on table login_success is
    'A successful sign-in from a network to an account, hashed as in login_failure. Failures elsewhere do not '
    'block the account from a known network.';
grant select, insert, update, delete on login_success to grantwright_app;
create index login_success_by_time on login_success (at);

-- +goose StatementBegin
create function announce_auth_change() returns trigger language plpgsql
as $$
begin
    perform pg_notify('grantwright_auth', '');
    return null;
end $$;
-- +goose StatementEnd
comment on function announce_auth_change is
    'Trigger: notifies all processes at commit that permissions, sessions, signing keys, limits or a tenant''s '
    'status changed. As a trigger, it covers every writer.';

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
comment on function token_stands is
    'Returns whether a token and all tokens that led to its creation are usable. None may be revoked, disabled, '
    'idle or without an active administrator. An expired or rotated token still counts; idle time after its end '
    'is ignored.';

-- +goose StatementBegin
create function people_behind(ids uuid[]) returns uuid[] language sql stable
as $$
    with named as (
        select distinct id from unnest(ids) n (id) where id is not null
    ), makers as (
        select k.created_by as id from named n join api_token k on k.tenant_id = current_tenant() and k.id = n.id
    ), users as (
        select u.id, u.identity_id
          from app_user u
         where u.tenant_id = current_tenant()
           and (u.id in (select id from named) or u.id in (select id from makers) or u.identity_id in (select id from named))
    )
    select coalesce(array_agg(a.id order by a.id), '{}')
      from (select id from named
             union
            select id from makers
             union
            select id from users
             union
            select identity_id from users where identity_id is not null) a (id)
$$;
-- +goose StatementEnd
comment on function people_behind is
    'Returns these IDs and all related IDs of the same people. It adds the users of identities, the identities of '
    'users, and the creators of tokens.';

-- +goose StatementBegin
create function people_kept(before uuid[], now uuid[]) returns uuid[] language sql immutable
as $$
    select case when now = '{}' then now
                else (select coalesce(array_agg(distinct id order by id), '{}') from unnest(before || now) a (id)) end
$$;
-- +goose StatementEnd
comment on function people_kept is
    'Returns the not_for list of an open task whose question is submitted again: the earlier and the new people. '
    'Earlier people remain, even if their user was unlinked since. If the new list is empty, the result is empty.';

-- Who can decide. Every place that asks people uses this function, so that all agree on who counts as absent.
-- +goose StatementBegin
create function provider_admits(address text, as_new_user boolean) returns boolean language sql stable
as $$
    select exists (select from identity_provider p
                    where p.tenant_id = current_tenant()
                      and p.enabled
                      and (p.create_users or not as_new_user)
                      and position('@' in coalesce(address, '')) > 0
                      and (p.domains = '{}' or split_part(lower(address), '@', 2) = any(p.domains)))
$$;
-- +goose StatementEnd
comment on function provider_admits is
    'Returns whether a person with this email address can sign in through an identity provider of the tenant '
    'without an invitation. If as_new_user is true, the provider must also create users.';

-- +goose StatementBegin
create function unable_to_decide(person uuid) returns text language sql stable
as $$
    select coalesce((
        select case
                   when i.kind <> 'human' then 'not_a_person'
                   when i.status in ('deactivated', 'archived') then 'left'
                   when i.status = 'pre_hire' then 'pre_hire'
                   when u.status = 'disabled' then 'user_disabled'
                   when u.status = 'invited' and not provider_admits(u.email, false)
                   then case when exists (select from signin_link l
                                           where l.tenant_id = u.tenant_id and l.user_id = u.id and l.used_at is null and l.expires_at > now())
                             then 'invitation_open' else 'invitation_lapsed' end
                   when u.id is null and exists (select from app_user x where x.tenant_id = i.tenant_id and x.email_lc = i.email_lc)
                   then 'user_not_linked'
                   when u.id is null and not provider_admits(i.email, true)
                        and not (provider_admits(i.email, false)
                                 and exists (select from sign_in_grant g
                                               join sign_in_rule r on r.tenant_id = g.tenant_id and r.id = g.rule_id and r.enabled
                                              where g.tenant_id = i.tenant_id
                                                and g.identity_id = i.id))
                   then 'no_user'
                   when i.status = 'on_leave' then 'on_leave'
                   else '' end
          from identity i
          left join app_user u on u.tenant_id = i.tenant_id and u.identity_id = i.id and u.deleted_at is null
         where i.tenant_id = current_tenant()
           and i.id = person), 'unknown')
$$;
-- +goose StatementEnd
comment on function unable_to_decide is
    'Returns why a person cannot decide at present: unknown, not_a_person, left, pre_hire, on_leave, '
    'user_disabled, invitation_open, invitation_lapsed, user_not_linked or no_user. An empty string means that '
    'they can. People for whom a first sign-in with an identity provider creates a user can decide.';

create trigger announce after update on tenant
    for each row when (old.status is distinct from new.status) execute function announce_auth_change();
create trigger announce_limits after update on tenant
    for each row when (old.limits is distinct from new.limits) execute function announce_auth_change();
create trigger announce after insert or update or delete on signing_key
    for each statement execute function announce_auth_change();
create trigger announce after update on app_user
    for each row when ((old.roles, old.status, old.password_epoch, old.control_plane_admin, old.identity_id)
         is distinct from (new.roles, new.status, new.password_epoch, new.control_plane_admin, new.identity_id))
    execute function announce_auth_change();
create trigger announce_gone after delete on app_user
    for each row execute function announce_auth_change();
create trigger announce after update on auth_session
    for each row when (old.revoked_at is distinct from new.revoked_at) execute function announce_auth_change();
create trigger announce after update on deployment
    for each statement execute function announce_auth_change();
create trigger announce after update on api_token
    for each row when ((old.revoked_at, old.disabled_at, old.rotation_overlap_until, old.allowed_cidrs, old.rate_rps, old.rate_burst)
         is distinct from (new.revoked_at, new.disabled_at, new.rotation_overlap_until, new.allowed_cidrs, new.rate_rps, new.rate_burst))
    execute function announce_auth_change();

-- The audit log: a chain of hashes for each tenant, its checkpoints, and streams to other systems.

create table audit_event (
    tenant_id    uuid        not null,
    seq          bigint      not null,
    event        text        not null,
    prev_hash    bytea       not null,
    hash         bytea       not null,
    at           timestamptz not null,
    action       text        not null,
    category     text        not null,
    outcome      text        not null,
    actor_type   text        not null,
    actor_id     text,
    subject_type text        not null default '',
    subject_id   text,
    request_id   text,
    constraint audit_event_pk primary key (tenant_id, seq)
);
comment on table audit_event is
    'One audit log entry: who did what. Only audit_append() and audit_append_all() write entries, in the '
    'transaction of the action. hash = SHA-256("IGA-AUDIT-V1" 0x00, prev_hash, event). The foreign key to the '
    'tenant is on audit_head, because a check for every entry would be costly.';
comment on column audit_event.event is 'The entry in canonical JSON (RFC 8785), byte for byte as it was hashed.';
call secure_tenant_table('audit_event', 'select');
create index audit_event_by_actor on audit_event (tenant_id, actor_id, action, category, outcome, actor_type, subject_type, seq) where actor_id is not null;
create index audit_event_by_kind on audit_event (tenant_id, action, category, outcome, actor_type, subject_type, seq);
create index audit_event_by_request on audit_event (tenant_id, request_id, seq) where request_id is not null;
create index audit_event_by_subject on audit_event (tenant_id, subject_id, seq) where subject_id is not null;
-- What entries are narrowed by has few values, and they come in a few hundred kinds. The index by kind leads from one kind to the next,
-- and gives the newest and the number of each; so does that by actor for whoever does much.
create index audit_event_by_time on audit_event (tenant_id, at) include (seq, action, category, outcome, actor_type, actor_id, subject_type, subject_id);

create table audit_head (
    tenant_id uuid   not null references tenant,
    seq       bigint not null default 0,
    hash      bytea  not null default decode(repeat('00', 32), 'hex'),
    constraint audit_head_pk primary key (tenant_id)
);
comment on table audit_head is
    'Last sequence number of a tenant''s audit log. Locking this row makes the sequence gapless.';
comment on column audit_head.hash is
    'Hash of the last entry, which the next entry includes. It is 32 zero bytes before the first entry.';
call secure_tenant_table('audit_head', 'select');
call readable_across('audit_head');

create table audit_checkpoint (
    tenant_id uuid        not null references tenant,
    seq       bigint      not null,
    hash      bytea       not null,
    kid       text        not null,
    note      text        not null,
    at        timestamptz not null default now(),
    constraint audit_checkpoint_pk primary key (tenant_id, seq)
);
comment on table audit_checkpoint is
    'One signed statement of the last sequence number and hash of a tenant''s audit log, as a C2SP signed note.';
call secure_tenant_table('audit_checkpoint', 'select, insert');
call readable_across('audit_checkpoint', 'tenant_id, seq, at');

create table audit_retention (
    tenant_id  uuid        not null references tenant,
    days       int         not null default 400,
    updated_at timestamptz not null default now(),
    version    int         not null default 1,
    constraint audit_retention_pk primary key (tenant_id),
    constraint audit_retention_least check (days between 90 and 36500)
);
comment on table audit_retention is
    'Retention period of a tenant''s audit log, at least 90 days. Without a row it is 400 days.';
call secure_tenant_table('audit_retention', 'select, insert, update');

create table audit_stream (
    tenant_id       uuid        not null references tenant,
    id              uuid        not null,
    name            text        not null,
    kind            text        not null,
    url             text        not null,
    format          text        not null,
    header          text        not null default 'Authorization',
    header_value    bytea,
    ca              bytea,
    enabled         boolean     not null default true,
    last_seq        bigint      not null,
    last_checkpoint bigint      not null default 0,
    skipped         bigint      not null default 0,
    attempts        int         not null default 0,
    next_at         timestamptz not null default now(),
    lease           uuid,
    lease_until     timestamptz,
    last_error      text,
    last_sent_at    timestamptz,
    created_at      timestamptz not null default now(),
    updated_at      timestamptz not null default now(),
    version         int         not null default 1,
    constraint audit_stream_pk primary key (tenant_id, id),
    constraint audit_stream_name_unique unique (tenant_id, name),
    constraint audit_stream_format_known check (format in ('ndjson', 'ocsf')),
    constraint audit_stream_kind_known check (kind in ('https', 'syslog'))
);
comment on table audit_stream is
    'One destination to which a tenant''s new audit log entries are sent. The column last_seq is the last entry '
    'that was delivered.';
comment on column audit_stream.header_value is
    'Value of the HTTP header, encrypted and bound to its row and column, as is ca. Null if no value is set.';
call secure_tenant_table('audit_stream');
call readable_across('audit_stream', 'tenant_id, id, enabled, last_seq, last_checkpoint, next_at, lease_until');

-- Number, time and hash are given where the row of audit_head is locked. The lock lasts until the caller's transaction ends, so a
-- tenant's numbers become visible in their order and without a gap.
-- +goose StatementBegin
create function audit_append(before_seq text, before_time text) returns bigint language plpgsql security definer
    set search_path = public, pg_temp
as $$
declare
    tenant uuid := current_tenant();
    n      bigint;
    prev   bytea;
    now_is timestamptz;
    line   text;
    body   jsonb;
    h      bytea;
begin
    loop
        select seq + 1, hash into n, prev from audit_head where tenant_id = tenant for update;
        exit when found;
        insert into audit_head (tenant_id) values (tenant) on conflict do nothing;
    end loop;
    now_is := date_trunc('milliseconds', clock_timestamp());
    line := before_seq || n || before_time || to_char(now_is at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}';
    h := sha256('\x4947412d41554449542d563100'::bytea || prev || convert_to(line, 'UTF8'));
    body := line::jsonb;
    insert into audit_event (tenant_id, seq, event, prev_hash, hash, at, action, category, outcome, actor_type, actor_id, subject_type, subject_id, request_id)
    values (tenant, n, line, prev, h, now_is, body ->> 'action', body ->> 'category', body ->> 'outcome', body -> 'actor' ->> 'type', body -> 'actor' ->> 'id',
            coalesce(body -> 'subject' ->> 'type', ''), body -> 'subject' ->> 'id', body -> 'context' ->> 'request_id');
    update audit_head set seq = n, hash = h where tenant_id = tenant;
    return n;
end $$;
-- +goose StatementEnd
comment on function audit_append is
    'Adds one entry to the audit log of the current tenant and returns its sequence number. The arguments are the '
    'canonical text before the number, and the text between the number and the time. Only this function and '
    'audit_append_all() write the log.';
revoke all on function audit_append from public;
grant execute on function audit_append to grantwright_app;

-- +goose StatementBegin
create function audit_trim(through bigint, batch int) returns int language plpgsql security definer
    set search_path = public, pg_temp
as $$
declare
    tenant uuid := current_tenant();
    gone   int;
begin
    if not exists (select from audit_checkpoint where tenant_id = tenant and seq = through) then
        raise exception 'there is no checkpoint at entry %', through;
    end if;
    if not exists (select from audit_event where tenant_id = tenant and action = 'audit.trimmed' and (event::json -> 'context' ->> 'through_seq')::bigint = through) then
        raise exception 'the log does not say that it was cut at entry %', through;
    end if;
    delete from audit_event
     where tenant_id = tenant
       and seq in (select e.seq from audit_event e
                    where e.tenant_id = tenant and e.seq <= through and e.at < now() - interval '90 days'
                    order by e.seq limit batch);
    get diagnostics gone = row_count;
    delete from audit_checkpoint where tenant_id = tenant and seq < through;
    return gone;
end $$;
-- +goose StatementEnd
comment on function audit_trim is
    'Deletes a batch of the oldest audit log entries up to a checkpoint and returns their number. The log must '
    'contain an entry about the trimming. Entries younger than 90 days are never deleted. No other function '
    'shortens the log, except purge_tenant().';
revoke all on function audit_trim from public;
grant execute on function audit_trim to grantwright_app;

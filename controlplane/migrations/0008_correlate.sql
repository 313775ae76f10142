-- +goose Up

-- How a connector's accounts find their owners, where it differs from the defaults: {rules[], auto_link, propose}.
alter table connector add column correlation jsonb not null default '{}';

alter table account
    add column correlation_keys     bigint,
    add column correlation_rules    bigint,
    add column correlation_rejected uuid[] not null default '{}',
    add column unowned_since        timestamptz;
comment on column account.correlation_keys is
    'A digest of the values that the rules looked at when they linked this account: while it holds, there is nothing to decide anew. Null: decided by a person, by the source itself, or not yet.';
comment on column account.correlation_rules is 'A digest of the rules that linked this account. Null where correlation_keys is.';
comment on column account.correlation_rejected is
    'Identities that a person took this account from. The rules do not give it back to them, until the account''s correlation is reset.';
comment on column account.unowned_since is 'When the account lost its owner. Null while it has one; an account that never had any is without since first_seen_at.';

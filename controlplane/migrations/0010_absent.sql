-- +goose Up

-- Whether something of a connector is away is asked at the end of every run; mostly nothing is, and these indexes are empty.
create index identity_source_away on identity_source (tenant_id, connector_id) where missing_since is not null or removed_at is not null;
create index account_away on account (tenant_id, connector_id) where missing_since is not null or deleted_at is not null;
create index entitlement_away on entitlement (tenant_id, connector_id) where missing_since is not null or removed_at is not null;
create index access_grant_away on access_grant (tenant_id, connector_id) where missing_since is not null or revoked_at is not null;

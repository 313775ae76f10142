package shape

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/container"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/template"
)

// Load reads how connectors write, with the defaults of their type and vendor for what is not set. Those that there
// are not are left out.
func Load(ctx context.Context, tx *pg.Tx, connectorIDs []string) (map[string]Config, error) {
	const sql = `
		select c.id::text, c.business_id, c.type, coalesce(c.vendor_key, ''), c.purpose, c.status, c.connection,
		       c.version, p.write_mode, nullif(p.account, '{}'), nullif(p.deprovision, '{}'), p.native_grant_policy,
		       nullif(p.drift, '{}'), nullif(p.breaker, '{}'), p.breaker_open_since, coalesce(p.breaker_reason, ''),
		           places.refs, coalesce(places.domain, false)
		  from unnest($1::text[]::uuid[]) x (id)
		  join connector c
		    on c.tenant_id = current_tenant()
		   and c.id = x.id
		  left join connector_provisioning p
		    on p.tenant_id = c.tenant_id
		   and p.connector_id = c.id
		  cross join lateral (
		       select array_agg(a.native_identity) as refs,
		           bool_or(a.attributes ?| '{sAMAccountName,userAccountControl}') as domain
		         from (select a.native_identity, a.attributes
		                 from account a
		                where a.tenant_id = c.tenant_id
		                  and a.connector_id = c.id
		                  and a.native_identity is not null
		                  and c.type in ('ldap', 'vendor')
		                  and coalesce(p.account, '{}') = '{}'
		                order by a.external_id
		                limit 200) a) places
		 where c.deleted_at is null`
	rows, err := tx.Query(ctx, sql, connectorIDs)
	if err != nil {
		return nil, fmt.Errorf("read how connectors write: %w", err)
	}
	out := make(map[string]Config, len(connectorIDs))
	r := &loaded{}
	_, err = pgx.ForEachRow(rows, r.fields(), func() error {
		c, err := r.config()
		out[r.id] = c
		*r = loaded{}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read how connectors write: %w", err)
	}
	return out, nil
}

// loaded is one row of Load.
type loaded struct {
	id, businessID, kind, vendor, purpose, status string
	connection                                    []byte
	version                                       int
	mode, native                                  *string
	account, deprovision, drift, breaker          []byte
	openSince                                     *time.Time
	openReason                                    string
	refs                                          []string
	domain                                        bool // its accounts look like those of Active Directory
}

func (r *loaded) fields() []any {
	return []any{
		&r.id,
		&r.businessID,
		&r.kind,
		&r.vendor,
		&r.purpose,
		&r.status,
		&r.connection,
		&r.version,
		&r.mode,
		&r.account,
		&r.deprovision,
		&r.native,
		&r.drift,
		&r.breaker,
		&r.openSince,
		&r.openReason,
		&r.refs,
		&r.domain,
	}
}

func (r *loaded) config() (Config, error) {
	var connection map[string]any
	stored := ProvisioningSettings{WriteMode: r.mode, NativeGrants: r.native}
	for _, part := range []struct {
		raw []byte
		to  any
	}{{r.connection, &connection}, {r.account, &stored.Account}, {r.deprovision, &stored.Deprovision},
		{r.drift, &stored.Drift}, {r.breaker, &stored.Breaker}} {
		if part.raw == nil {
			continue
		}
		if err := json.Unmarshal(part.raw, part.to); err != nil {
			return Config{}, fmt.Errorf("connector %s: %w", r.businessID, err)
		}
	}
	engine, settings := catalog.Resolve(catalog.KeyOf(r.kind, r.vendor), connection)
	c := Config{
		ConnectorID:      r.id,
		BusinessID:       r.businessID,
		Type:             engine,
		Purpose:          r.purpose,
		Status:           r.status,
		BreakerOpenSince: r.openSince,
		BreakerReason:    r.openReason,
		version:          r.version,
		subject: template.Subject{
			Engine:   engine,
			Vendor:   r.vendor,
			Purpose:  r.purpose,
			Settings: settings,
			Parent:   container.CommonParent(r.refs),
			IsDomain: r.domain,
		},
	}
	return c.as(stored), nil
}

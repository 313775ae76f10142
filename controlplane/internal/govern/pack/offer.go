package pack

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/desired"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
)

// Offers are the mappings that the tenant's packs offer for a connector. Where several offer one for the same field of
// the source, the pack that was installed last wins.
func Offers(ctx context.Context, tx *pg.Tx, c connector.Connector) ([]mapping.Mapping, error) {
	const sql = `
		select i.pack_key, o.content
		  from sector_pack_object o
		  join sector_pack_installation i
		    on i.tenant_id = o.tenant_id
		   and i.id = o.installation_id
		   and i.state = 'installed'
		 where o.tenant_id = current_tenant()
		   and o.kind = $1
		 order by i.installed_at desc, i.id, o.object_key`
	rows, err := tx.Query(ctx, sql, format.KindFieldMapping)
	if err != nil {
		return nil, fmt.Errorf("read mappings of packs: %w", err)
	}
	s := desired.Connector{
		BusinessID:  c.BusinessID,
		Type:        c.Type,
		Environment: c.Environment,
		Purpose:     c.Purpose,
		Labels:      c.Labels,
	}
	if c.VendorKey != nil {
		s.Vendor = *c.VendorKey
	}
	var out []mapping.Mapping
	var key string
	var m format.FieldMapping
	_, err = pgx.ForEachRow(rows, []any{&key, &m}, func() error {
		if s.Suits(m.When) {
			for _, o := range m.Mappings() {
				o.Note = "the sector pack " + key + " offers it"
				known := slices.ContainsFunc(
					out,
					func(x mapping.Mapping) bool {
						return x.Object == o.Object &&
							strings.EqualFold(x.Source, o.Source)
					},
				)
				if !known {
					out = append(out, o)
				}
			}
		}
		m = format.FieldMapping{}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read mappings of packs: %w", err)
	}
	return out, nil
}

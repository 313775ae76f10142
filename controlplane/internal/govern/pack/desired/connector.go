package desired

import (
	"context"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Suits reports whether a field mapping is meant for the connector.
func (s Connector) Suits(w format.When) bool {
	return s.Matches(format.Connectors{Tag: w.Tag, Type: w.ConnectorType, Vendor: w.Vendor}) &&
		(w.Purpose == "" || w.Purpose == s.Purpose || s.Purpose == "both")
}

// Connector is a connector as selectors see it. Vendor is empty if it has none.
type Connector struct {
	ID          string `db:"id"`
	BusinessID  string `db:"business_id"`
	Type        string `db:"type"`
	Vendor      string `db:"vendor"`
	Environment string `db:"environment"`
	Purpose     string `db:"purpose"`
	// Labels are the connector's, from which the tags that selectors name are taken.
	Labels map[string]string `db:"labels"`
	Read   bool              `db:"read"` // its first sync has succeeded: what is there is known
}

// connectors are the tenant's connectors, by id.
func connectors(ctx context.Context, tx *pg.Tx) ([]Connector, error) {
	const sql = `
		select c.id::text, c.business_id, c.type, coalesce(c.vendor_key, '') as vendor, c.environment, c.purpose,
		    c.labels, c.last_success_at is not null as read
		  from connector c
		 where c.tenant_id = current_tenant()
		   and c.deleted_at is null
		 order by c.id`
	return pg.All[Connector](ctx, tx, "list connectors for packs", sql)
}

// engine is the type of connector that serves the system, which is another one for vendors.
func (s Connector) engine() (engine, category string) {
	key := s.Vendor
	if key == "" {
		key = s.Type
	}
	e, ok := catalog.Find(key)
	switch {
	case !ok:
		return s.Type, ""
	case e.Engine != "":
		return e.Engine, e.Category
	}
	return e.Type, e.Category
}

// tagLabel is the label that names a connector's tags.
const tagLabel = "tag"

// tags are those of the label; a production system that has none has the tag of what it is.
func (s Connector) tags() []string {
	if label, ok := s.Labels[tagLabel]; ok {
		var tags []string
		for tag := range strings.SplitSeq(label, ",") {
			if tag = strings.ToLower(strings.TrimSpace(tag)); tag != "" {
				tags = append(tags, tag)
			}
		}
		return tags
	}
	if s.Environment != "production" || s.Purpose == "source" {
		return nil
	}
	engine, category := s.engine()
	if engine == catalog.LDAP || category == "directory" || category == "identity_provider" {
		return []string{"directory"}
	}
	return nil
}

// Matches reports whether a selector of connectors means this one. An empty field of the selector matches all.
func (s Connector) Matches(by format.Connectors) bool {
	engine, _ := s.engine()
	return (by.Tag == "" || slices.Contains(s.tags(), strings.ToLower(by.Tag))) &&
		(by.Type == "" || by.Type == s.Type || by.Type == engine) &&
		(by.BusinessID == "" || by.BusinessID == s.BusinessID) &&
		(by.Vendor == "" || strings.EqualFold(by.Vendor, s.Vendor))
}

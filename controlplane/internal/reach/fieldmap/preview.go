package fieldmap

import (
	"context"
	"fmt"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
)

// Previewing asks what mappings make of a few records.
type Previewing struct {
	Mappings    *[]NewMapping `json:"mappings,omitempty" maxItems:"2000" doc:"Those to try; the saved ones when left out, or else the proposals."`
	Sample      int           `json:"sample,omitempty" minimum:"1" maximum:"200" doc:"People, and accounts, to read; 20 when left out."`
	ExternalIDs []string      `json:"external_ids,omitempty" maxItems:"200" nullable:"false" doc:"These records and no others. They are looked for, for a minute at most."`
}

// MappingPreview is what mappings make of a few records.
type MappingPreview struct {
	MappedBy string            `json:"mapped_by" enum:"given,saved,proposed,heuristics" doc:"Whose mappings were tried."`
	Rows     []mapping.Row     `json:"rows" nullable:"false"`
	Findings []mapping.Finding `json:"findings" nullable:"false" doc:"What is remarkable about all rows together."`
	Error    *v1.ErrorDetail   `json:"error" doc:"What the target, the network or an agent answered, where no records came."`
}

type previewIn struct {
	ID   string `path:"id"`
	Body *Previewing
}

const usualSample = 20

func (s *Service) preview(ctx context.Context, v viewer.Viewer, in *previewIn) (*httpapi.One[MappingPreview], error) {
	ask := Previewing{}
	if in.Body != nil {
		ask = *in.Body
	}
	if ask.Sample == 0 {
		ask.Sample = usualSample
	}
	out, err := s.Preview(ctx, v, in.ID, ask)
	return &httpapi.One[MappingPreview]{Body: out}, err
}

// Preview reads a few records of a connector's target and maps them. Nothing is written.
func (s *Service) Preview(ctx context.Context, v viewer.Viewer, id string, ask Previewing) (MappingPreview, error) {
	out := MappingPreview{Rows: []mapping.Row{}, Findings: []mapping.Finding{}}
	var mapper *mapping.Mapper
	var secret map[[2]string]bool
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		mapper, secret, out.MappedBy, err = s.toTry(ctx, tx, id, ask.Mappings)
		return err
	})
	if err != nil {
		return out, err
	}
	sample, err := s.Connectors.Sample(ctx, v, id, max(ask.Sample, len(ask.ExternalIDs)), ask.ExternalIDs)
	if err != nil {
		return out, err
	}
	if out.Error = sample.Error; out.Error != nil {
		return out, nil
	}
	for i, r := range sample.Identities {
		sample.Identities[i].Attributes = withoutSecrets(r.Attributes, mapping.ObjectIdentity, secret)
	}
	for i, r := range sample.Accounts {
		sample.Accounts[i].Attributes = withoutSecrets(r.Attributes, mapping.ObjectAccount, secret)
	}
	out.Rows = mapper.Preview(sample.Identities, sample.Accounts, s.Now().UTC())
	known, err := s.managersKnown(ctx, v, out.Rows)
	if err != nil {
		return out, err
	}
	out.Findings = append(append(out.Findings, mapping.Population(out.Rows)...), mapping.UnresolvedManagers(out.Rows, known)...)
	return out, nil
}

// toTry is the mapper that a preview tries, whose it is, and which fields look like secrets.
func (s *Service) toTry(ctx context.Context, tx *pg.Tx, id string, given *[]NewMapping) (m *mapping.Mapper, secret map[[2]string]bool, by string, err error) {
	saved, err := Read(ctx, tx, id)
	if err != nil {
		return nil, nil, "", err
	}
	rules := rulesOf(saved.Mappings)
	by = "saved"
	secret = map[[2]string]bool{}
	snap, err := Current(ctx, tx, id)
	seen := err == nil
	if err != nil && !fault.IsCode(err, "discovery_required") {
		return nil, nil, "", err
	}
	for _, o := range snap.Objects {
		for _, f := range o.Fields {
			secret[[2]string{o.Kind, f.Name}] = f.Secret
		}
	}
	switch {
	case given != nil:
		rules, by = written(*given, rules), "given"
		if err := s.check(rules, "#/mappings"); err != nil {
			return nil, nil, "", err
		}
	case saved.Version == 0 && seen:
		by = "proposed"
		if rules, err = s.Propose(ctx, tx, saved.connectorState, snap); err != nil {
			return nil, nil, "", err
		}
	case saved.Version == 0:
		by = "heuristics"
	}
	m, err = mapping.With(rules, s.Compile)
	return m, secret, by, err
}

// managersKnown looks up in one statement which of the managers that the rows name are in the store.
func (s *Service) managersKnown(ctx context.Context, v viewer.Viewer, rows []mapping.Row) (func(string) bool, error) {
	named := []string{}
	for _, r := range rows {
		if m, ok := r.After[string(mapping.Manager)].(string); ok && r.Object == mapping.ObjectIdentity {
			named = append(named, strings.ToLower(m))
		}
	}
	known := map[string]bool{}
	if len(named) == 0 {
		return func(string) bool { return false }, nil
	}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		const sql = `
			with n as (select distinct unnest($1::text[]) as value)
			select n.value from n join identity i on i.tenant_id = current_tenant() and i.email_lc = n.value
			union select n.value from n join identity i on i.tenant_id = current_tenant() and lower(i.external_id) = n.value
			union select n.value from n join identity i on i.tenant_id = current_tenant() and lower(i.username) = n.value
			union select n.value from n join identity i on i.tenant_id = current_tenant() and lower(i.employee_number) = n.value
			union select n.value from n join identity_source s on s.tenant_id = current_tenant() and lower(s.external_id) = n.value
			union select n.value from n join identity_source s on s.tenant_id = current_tenant() and lower(s.native_ref) = n.value`
		rows, err := tx.Query(ctx, sql, named)
		if err != nil {
			return fmt.Errorf("look for managers: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var value string
			if err := rows.Scan(&value); err != nil {
				return err
			}
			known[value] = true
		}
		return rows.Err()
	})
	return func(value string) bool { return known[strings.ToLower(value)] }, err
}

package fieldmap

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/tryout"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/mapper"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Previewing asks what mappings make of a few records.
type Previewing struct {
	// The mappings to preview. The default is the saved mappings, or the suggestions if none are saved.
	Mappings *[]NewMapping `json:"mappings,omitempty" maxItems:"2000"`
	// The kinds of record to read. The default is people and accounts, and entitlements and grants if the mappings fill
	// a field of them. Kinds that the connector does not read are omitted.
	Objects []string `json:"objects,omitempty" enum:"identity,account,entitlement,grant" maxItems:"4" nullable:"false"`
	// The number of records of each kind to read. The default is 20.
	Sample int `json:"sample,omitempty" minimum:"1" maximum:"200"`
	// These records and no others; a grant is named by its own ID or by that of its account or entitlement. They are
	// looked for, for a minute at most.
	ExternalIDs []string `json:"external_ids,omitempty" maxItems:"200" nullable:"false"`
}

// MappingPreview is what mappings make of a few records.
type MappingPreview struct {
	// Whose mappings were tried.
	MappedBy string `json:"mapped_by" enum:"given,saved,proposed,heuristics"`
	// Sampled records before and after mapping.
	Rows []mapper.Row `json:"rows" nullable:"false"`
	// What is remarkable about all rows together.
	Findings []mapper.Finding `json:"findings" nullable:"false"`
	// What the target, the network or an agent answered, where no records came.
	Error *v1.ErrorDetail `json:"error"`
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
	out := MappingPreview{Rows: []mapper.Row{}, Findings: []mapper.Finding{}}
	var try trial
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		try, err = s.toTry(ctx, tx, id, ask.Mappings)
		return err
	})
	if err != nil {
		return out, err
	}
	out.MappedBy = try.by
	sample, err := s.Connectors.Sample(ctx, v, id, tryout.Sampling{
		N: max(ask.Sample, len(ask.ExternalIDs)), Only: ask.ExternalIDs, Kinds: try.kinds(ask.Objects),
	})
	if err != nil {
		return out, err
	}
	if out.Error = sample.Error; out.Error != nil {
		return out, nil
	}
	out.Rows = try.mapper.Preview(try.withoutSecrets(sample), s.Now().UTC())
	known, err := s.managersKnown(ctx, v, out.Rows)
	if err != nil {
		return out, err
	}
	out.Findings = append(
		append(out.Findings, mapper.Population(out.Rows)...),
		mapper.UnresolvedManagers(out.Rows, known)...)
	return out, nil
}

// trial is what a preview tries: the mapper, of which rules it was made and whose they are, and which fields look like
// secrets.
type trial struct {
	mapper *mapper.Mapper
	rules  []mapping.Mapping
	by     string
	secret map[[2]string]bool
}

var kindsOf = map[string]v1.ObjectKind{
	mapping.ObjectIdentity: v1.Identities, mapping.ObjectAccount: v1.Accounts,
	mapping.ObjectEntitlement: v1.Entitlements, mapping.ObjectGrant: v1.Grants,
}

// kinds are those of the records to read: the objects, or, where none is named, those whose records the rules may
// change.
func (t trial) kinds(objects []string) (kinds []v1.ObjectKind) {
	for _, object := range mapping.Objects() {
		wanted := slices.Contains(objects, object)
		if len(objects) == 0 {
			filled := func(r mapping.Mapping) bool { return r.Object == object && r.Action == mapping.ActionMap }
			wanted = object == mapping.ObjectIdentity || object == mapping.ObjectAccount ||
				slices.ContainsFunc(t.rules, filled)
		}
		if wanted {
			kinds = append(kinds, kindsOf[object])
		}
	}
	return kinds
}

func (t trial) withoutSecrets(of tryout.Sample) mapper.Sample {
	for i := range of.Identities {
		of.Identities[i].Attributes = withoutSecrets(of.Identities[i].Attributes, mapping.ObjectIdentity, t.secret)
	}
	for i := range of.Accounts {
		of.Accounts[i].Attributes = withoutSecrets(of.Accounts[i].Attributes, mapping.ObjectAccount, t.secret)
	}
	for i := range of.Entitlements {
		of.Entitlements[i].Attributes = withoutSecrets(
			of.Entitlements[i].Attributes,
			mapping.ObjectEntitlement,
			t.secret,
		)
	}
	for i := range of.Grants {
		of.Grants[i].Attributes = withoutSecrets(of.Grants[i].Attributes, mapping.ObjectGrant, t.secret)
	}
	return mapper.Sample{
		Identities: of.Identities, Accounts: of.Accounts, Entitlements: of.Entitlements, Grants: of.Grants,
	}
}

func (s *Service) toTry(ctx context.Context, tx *pg.Tx, id string, given *[]NewMapping) (t trial, err error) {
	saved, err := Read(ctx, tx, id)
	if err != nil {
		return t, err
	}
	t = trial{rules: rulesOf(saved.Mappings), by: "saved", secret: map[[2]string]bool{}}
	snap, err := Current(ctx, tx, id)
	seen := err == nil
	if err != nil && !fault.IsCode(err, "discovery_required") {
		return t, err
	}
	for _, o := range snap.Objects {
		for _, f := range o.Fields {
			key := [2]string{o.Kind, f.Name}
			t.secret[key] = t.secret[key] || f.Secret
		}
	}
	switch {
	case given != nil:
		t.rules, t.by = written(*given, t.rules), "given"
		if err := s.check(t.rules, "#/mappings"); err != nil {
			return t, err
		}
	case saved.Version == 0 && seen:
		t.by = "proposed"
		if t.rules, err = s.Propose(ctx, tx, saved.connectorState, snap); err != nil {
			return t, err
		}
	case saved.Version == 0:
		t.by = "heuristics"
	}
	t.mapper, err = mapper.With(t.rules, s.Compile)
	return t, err
}

// managersKnown looks up in one statement which of the managers that the rows name are in the store.
func (s *Service) managersKnown(ctx context.Context, v viewer.Viewer, rows []mapper.Row) (func(string) bool, error) {
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
			union select n.value from n join identity i on i.tenant_id = current_tenant()
			    and lower(i.external_id) = n.value
			union select n.value from n join identity i on i.tenant_id = current_tenant()
			    and lower(i.username) = n.value
			union select n.value from n join identity i on i.tenant_id = current_tenant()
			    and lower(i.employee_number) = n.value
			union select n.value from n join identity_source s on s.tenant_id = current_tenant()
			    and lower(s.external_id) = n.value
			union select n.value from n join identity_source s on s.tenant_id = current_tenant()
			    and lower(s.native_ref) = n.value`
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

package mapper

import (
	"cmp"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/mapper/display"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Row is one record of a sample and what the rules make of it.
type Row struct {
	// Kind of the record: identity, account, entitlement or grant.
	Object string `json:"object"`
	// ID of the record in its system.
	ExternalID string `json:"external_id"`
	// The source's record; secrets are hidden.
	Before map[string]any `json:"before"`
	// The fields of ours, and custom attributes below attributes.
	After map[string]any `json:"after"`
	// Values of the record that cannot be used.
	Errors []RowError `json:"errors" nullable:"false"`
	// Whether a run would set the record aside for its errors.
	Aside bool `json:"set_aside"`
	// Of each filled field of ours: the source field.
	From map[string]string `json:"from"`
}

// RowError is a value that cannot be used.
type RowError struct {
	// Source field whose value cannot be used.
	Field string `json:"source_path"`
	// Stable code of the error, such as not_a_date.
	Code string `json:"code"`
	// What is wrong with the value, in words.
	Message string `json:"message"`
}

// Sample are records to try mappings on.
type Sample struct {
	Identities   []v1.RemoteIdentity
	Accounts     []v1.RemoteAccount
	Entitlements []v1.RemoteEntitlement
	Grants       []v1.RemoteGrant
}

// Preview maps the records of a sample, as a run would.
func (m *Mapper) Preview(of Sample, today time.Time) []Row {
	rows := make([]Row, 0, len(of.Identities)+len(of.Accounts)+len(of.Entitlements)+len(of.Grants))
	add := func(object, id string, before, after map[string]any, problems []Problem) {
		row := Row{Object: object, ExternalID: id, Before: before, After: after, From: m.origin(object, before)}
		rows = append(rows, row.with(problems))
	}
	for i := range of.Identities {
		r := &of.Identities[i]
		p, problems := m.Person(r, today)
		add(mapping.ObjectIdentity, r.ExternalID, r.Attributes, p.shown(), problems)
	}
	for _, r := range of.Accounts {
		custom, problems := m.Account(&r)
		add(mapping.ObjectAccount, r.ExternalID, r.Attributes, display.Account(&r, custom), problems)
	}
	for _, r := range of.Entitlements {
		custom, problems := m.Entitlement(&r)
		add(mapping.ObjectEntitlement, r.ExternalID, r.Attributes, display.Entitlement(&r, custom), problems)
	}
	for _, r := range of.Grants {
		custom, problems := m.Grant(&r)
		add(mapping.ObjectGrant, GrantName(&r), r.Attributes, display.Grant(&r, custom), problems)
	}
	return rows
}

// with adds the problems of a row as errors. A problem with the whole record sets it aside.
func (r Row) with(problems []Problem) Row {
	r.Errors = []RowError{}
	for _, p := range problems {
		r.Errors = append(r.Errors, RowError{p.Field, p.Code, cmp.Or(p.Detail, p.Message)})
		r.Aside = r.Aside || p.Whole
	}
	return r
}

// origin says which source field fills each field of ours.
func (m *Mapper) origin(object string, record map[string]any) map[string]string {
	from := map[string]string{}
	if decided := m.plans[object]; decided != nil {
		for _, s := range decided.steps {
			from[string(s.target)] = s.source
		}
	} else if object == mapping.ObjectIdentity {
		for f, c := range m.choose(record) {
			from[string(f)] = c.source
		}
	}
	return from
}

// shown is a person as the preview shows them.
func (p Person) shown() map[string]any {
	out := map[string]any{}
	for f, v := range p.Text {
		out[string(f)] = v
	}
	for f, d := range map[mapping.Field]*time.Time{mapping.HireDate: p.HireDate, mapping.StartDate: p.StartDate,
		mapping.TerminationDate: p.TerminationDate,
		mapping.LeaveFrom:       p.LeaveFrom, mapping.LeaveTo: p.LeaveTo} {
		if d != nil {
			out[string(f)] = d.Format(time.DateOnly)
		}
	}
	if p.LastWorkingAt != nil {
		out[string(mapping.LastWorkingAt)] = p.LastWorkingAt.Format(time.RFC3339)
	}
	if p.IsDisabled != nil {
		out[string(mapping.IsDisabled)] = *p.IsDisabled
	}
	if p.Status != "" {
		out[string(mapping.Status)] = p.Status
	}
	if p.Manager != nil {
		out[string(mapping.Manager)] = p.Manager.Value
	}
	if custom := p.Attributes(func(string) bool { return true }); custom != nil {
		out["attributes"] = custom
	}
	return out
}

// shownIDs is how many IDs a finding lists as examples.
const shownIDs = 10

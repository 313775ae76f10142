package mapping

import (
	"cmp"
	"slices"
	"strings"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Row is one record of a sample and what the rules make of it.
type Row struct {
	Object     string            `json:"object"`
	ExternalID string            `json:"external_id"`
	Before     map[string]any    `json:"before" doc:"The source's record; secrets are hidden."`
	After      map[string]any    `json:"after" doc:"The fields of ours, and custom attributes below attributes."`
	Errors     []RowError        `json:"errors" nullable:"false"`
	Aside      bool              `json:"set_aside" doc:"Whether a run would set the record aside for its errors."`
	From       map[string]string `json:"from" doc:"Of each filled field of ours: the source field."`
}

// RowError is a value that cannot be used.
type RowError struct {
	Field   string `json:"source_path"`
	Code    string `json:"code"`
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
		add(ObjectIdentity, r.ExternalID, r.Attributes, p.shown(), problems)
	}
	for _, r := range of.Accounts {
		custom, problems := m.Account(&r)
		add(ObjectAccount, r.ExternalID, r.Attributes, shownAccount(&r, custom), problems)
	}
	for _, r := range of.Entitlements {
		custom, problems := m.Entitlement(&r)
		add(ObjectEntitlement, r.ExternalID, r.Attributes, shownEntitlement(&r, custom), problems)
	}
	for _, r := range of.Grants {
		custom, problems := m.Grant(&r)
		add(ObjectGrant, GrantName(&r), r.Attributes, shownGrant(&r, custom), problems)
	}
	return rows
}

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
	} else if object == ObjectIdentity {
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
	for f, d := range map[Field]*time.Time{HireDate: p.HireDate, StartDate: p.StartDate,
		TerminationDate: p.TerminationDate,
		LeaveFrom:       p.LeaveFrom, LeaveTo: p.LeaveTo} {
		if d != nil {
			out[string(f)] = d.Format(time.DateOnly)
		}
	}
	if p.LastWorkingAt != nil {
		out[string(LastWorkingAt)] = p.LastWorkingAt.Format(time.RFC3339)
	}
	if p.IsDisabled != nil {
		out[string(IsDisabled)] = *p.IsDisabled
	}
	if p.Status != "" {
		out[string(Status)] = p.Status
	}
	if p.Manager != nil {
		out[string(Manager)] = p.Manager.Value
	}
	if custom := p.Attributes(func(string) bool { return true }); custom != nil {
		out["attributes"] = custom
	}
	return out
}

// Finding is something about the sample as a whole that a person should look at before the first sync.
type Finding struct {
	Check       string   `json:"check" enum:"values_lost,duplicates,unresolved_managers,would_be_disabled,set_aside,no_key_for_owners" doc:"What was looked for."`
	Object      string   `json:"object"`
	Field       string   `json:"target_field,omitempty"`
	Source      string   `json:"source_path,omitempty"`
	Count       int      `json:"count" doc:"Records of the sample."`
	Of          int      `json:"of" doc:"Records that were looked at."`
	ExternalIDs []string `json:"external_ids" nullable:"false" doc:"The first of them, ten at most."`
	Detail      string   `json:"detail"`
}

const shownIDs = 10

// Population looks at all rows together: values that get lost, duplicates of what should be one person's alone, people
// who would be disabled. Whether managers are known is looked up by the caller; see UnresolvedManagers.
func Population(rows []Row) []Finding {
	var out []Finding
	for _, object := range Objects() {
		of := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Object != object })
		if len(of) == 0 {
			continue
		}
		out = append(out, lost(object, of)...)
		out = append(out, duplicates(object, of, Email)...)
		out = append(out, duplicates(object, of, EmployeeNumber)...)
		out = append(out, where(object, of, "would_be_disabled", IsDisabled, "would be disabled", func(r Row) bool {
			return r.After[string(IsDisabled)] == true || r.After[string(Status)] == "deactivated"
		})...)
		out = append(
			out,
			where(
				object,
				of,
				"set_aside",
				"",
				"would be set aside, and nothing of them used",
				func(r Row) bool { return r.Aside },
			)...)
		if object == ObjectIdentity {
			out = append(
				out,
				where(
					object,
					of,
					"no_key_for_owners",
					"",
					"have neither an e-mail address nor an employee number: no account could find them",
					func(r Row) bool {
						return r.After[string(Email)] == nil && r.After[string(EmployeeNumber)] == nil
					},
				)...)
		}
	}
	return out
}

func where(object string, rows []Row, check string, field Field, what string, is func(Row) bool) []Finding {
	f := Finding{
		Check:       check,
		Object:      object,
		Field:       string(field),
		Of:          len(rows),
		ExternalIDs: []string{},
		Detail:      what,
	}
	for _, r := range rows {
		if is(r) {
			f.hit(r.ExternalID)
		}
	}
	if f.Count == 0 {
		return nil
	}
	return []Finding{f}
}

func (f *Finding) hit(id string) {
	if f.Count++; len(f.ExternalIDs) < shownIDs {
		f.ExternalIDs = append(f.ExternalIDs, id)
	}
}

// lost finds mapped fields whose source has a value and that end up without one.
func lost(object string, rows []Row) []Finding {
	by := map[string]*Finding{}
	for _, r := range rows {
		for target, source := range r.From {
			if empty(r.Before[source]) || !empty(r.at(target)) {
				continue
			}
			if by[target] == nil {
				by[target] = &Finding{
					Check:       "values_lost",
					Object:      object,
					Field:       target,
					Source:      source,
					Of:          len(rows),
					ExternalIDs: []string{},
					Detail:      "have a value in the source that does not arrive",
				}
			}
			by[target].hit(r.ExternalID)
		}
	}
	out := make([]Finding, 0, len(by))
	for _, f := range by {
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b Finding) int { return strings.Compare(a.Field, b.Field) })
	return out
}

func (r Row) at(target string) any {
	if name, ok := Field(target).CustomField(); ok {
		custom, _ := r.After["attributes"].(map[string]any)
		return custom[name]
	}
	return r.After[target]
}

// duplicates finds rows that share a value with an earlier one.
func duplicates(object string, rows []Row, field Field) []Finding {
	seen := map[string]string{}
	f := Finding{
		Check:       "duplicates",
		Object:      object,
		Field:       string(field),
		Of:          len(rows),
		ExternalIDs: []string{},
		Detail:      "have the same value as another record",
	}
	for _, r := range rows {
		v, _ := r.After[string(field)].(string)
		if v = strings.ToLower(strings.TrimSpace(v)); v == "" {
			continue
		}
		if _, twice := seen[v]; twice {
			f.hit(r.ExternalID)
		}
		seen[v] = r.ExternalID
	}
	if f.Count == 0 {
		return nil
	}
	return []Finding{f}
}

// UnresolvedManagers finds people whose manager is known neither in the sample nor, by known, in the store.
func UnresolvedManagers(rows []Row, known func(value string) bool) []Finding {
	here := map[string]bool{}
	for _, r := range rows {
		if r.Object != ObjectIdentity {
			continue
		}
		here[strings.ToLower(r.ExternalID)] = true
		for _, f := range []Field{Email, Username, EmployeeNumber} {
			if v, ok := r.After[string(f)].(string); ok {
				here[strings.ToLower(v)] = true
			}
		}
	}
	people := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Object != ObjectIdentity })
	return where(
		ObjectIdentity,
		people,
		"unresolved_managers",
		Manager,
		"name a manager who is neither in the sample nor known yet; they may come with the first sync",
		func(r Row) bool {
			v, ok := r.After[string(Manager)].(string)
			return ok && v != "" && !here[strings.ToLower(v)] && !known(v)
		},
	)
}

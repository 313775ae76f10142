package mapper

import (
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
)

// Finding is something about the sample as a whole that a person should look at before the first sync.
type Finding struct {
	// What was looked for.
	Check string `json:"check" enum:"values_lost,duplicates,unresolved_managers,would_be_disabled,set_aside,no_key_for_owners"`
	// Kind of the records: identity, account, entitlement or grant.
	Object string `json:"object"`
	// Field of the object that the finding is about; absent when it concerns whole records.
	Field string `json:"target_field,omitempty"`
	// Source field that the finding is about; absent when it concerns no single source field.
	Source string `json:"source_path,omitempty"`
	// Records of the sample.
	Count int `json:"count"`
	// Records that were looked at.
	Of int `json:"of"`
	// The first of them, ten at most.
	ExternalIDs []string `json:"external_ids" nullable:"false"`
	// Finding in words.
	Detail string `json:"detail"`
}

// Population looks at all rows together: values that get lost, duplicates of what should be one person's alone, people
// who would be disabled. Whether managers are known is looked up by the caller; see UnresolvedManagers.
func Population(rows []Row) []Finding {
	var out []Finding
	for _, object := range mapping.Objects() {
		of := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Object != object })
		if len(of) == 0 {
			continue
		}
		out = append(out, lost(object, of)...)
		out = append(out, duplicates(object, of, mapping.Email)...)
		out = append(out, duplicates(object, of, mapping.EmployeeNumber)...)
		out = append(
			out,
			where(object, of, "would_be_disabled", mapping.IsDisabled, "would be disabled", func(r Row) bool {
				return r.After[string(mapping.IsDisabled)] == true || r.After[string(mapping.Status)] == "deactivated"
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
		if object == mapping.ObjectIdentity {
			out = append(
				out,
				where(
					object,
					of,
					"no_key_for_owners",
					"",
					"have neither an e-mail address nor an employee number: no account could find them",
					func(r Row) bool {
						return r.After[string(mapping.Email)] == nil && r.After[string(mapping.EmployeeNumber)] == nil
					},
				)...)
		}
	}
	return out
}

// where is a finding about the rows for which is holds, or none if there are none. what is its
// text.
func where(object string, rows []Row, check string, field mapping.Field, what string, is func(Row) bool) []Finding {
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

// hit counts a row, and keeps the first IDs as examples.
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

// at is the value of a target in a mapped row; nil if the mapping left it empty. Custom attributes
// are addressed as attributes.<name>.
func (r Row) at(target string) any {
	if name, ok := mapping.Field(target).CustomField(); ok {
		custom, _ := r.After["attributes"].(map[string]any)
		return custom[name]
	}
	return r.After[target]
}

// duplicates finds rows that share a value with an earlier one.
func duplicates(object string, rows []Row, field mapping.Field) []Finding {
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
		if r.Object != mapping.ObjectIdentity {
			continue
		}
		here[strings.ToLower(r.ExternalID)] = true
		for _, f := range []mapping.Field{mapping.Email, mapping.Username, mapping.EmployeeNumber} {
			if v, ok := r.After[string(f)].(string); ok {
				here[strings.ToLower(v)] = true
			}
		}
	}
	people := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Object != mapping.ObjectIdentity })
	return where(
		mapping.ObjectIdentity,
		people,
		"unresolved_managers",
		mapping.Manager,
		"name a manager who is neither in the sample nor known yet; they may come with the first sync",
		func(r Row) bool {
			v, ok := r.After[string(mapping.Manager)].(string)
			return ok && v != "" && !here[strings.ToLower(v)] && !known(v)
		},
	)
}

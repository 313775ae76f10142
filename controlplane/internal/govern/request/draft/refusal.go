package draft

import (
	"cmp"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// against adds what stands against a draft.
func (d *Draft) against(f *fault.Fault) { d.Faults = append(d.Faults, f) }

// wrong adds fields that are wrong.
func (d *Draft) wrong(fields ...fault.Field) {
	if len(fields) > 0 {
		d.against(
			fault.Coded(fault.Invalid, cmp.Or(special(fields[0].Code), "validation_failed"), "%s", fields[0].Detail).
				With(fields...),
		)
	}
}

// special is a field's code that is worth being the problem's own.
func special(code string) string {
	switch code {
	case "duration_exceeds_limit",
		"duration_required",
		"justification_required",
		"external_reference_required",
		"not_requestable",
		"wrong_system",
		"unknown_account":
		return code
	}
	return ""
}

// lost reports whether nothing more can be found out about a draft.
func (d *Draft) lost() bool { return len(d.Faults) > 0 && d.Person.ID == "" }

// order in which refusals matter to whoever reads one alone.
var severity = map[fault.Kind]int{fault.NotFound: 1, fault.Forbidden: 2, fault.Invalid: 4, fault.Conflict: 5}

// Refusal returns the gravest fault, with the fields of those of its kind; nil if there is none.
func (d *Draft) Refusal() error {
	if len(d.Faults) == 0 {
		return nil
	}
	first := slices.MinFunc(
		d.Faults,
		func(a, b *fault.Fault) int { return cmp.Compare(severity[a.Kind], severity[b.Kind]) },
	)
	out := *first
	out.Fields = nil
	for _, f := range d.Faults {
		if f.Kind == first.Kind && (f.Kind == fault.Invalid || f == first) {
			out.Fields = append(out.Fields, f.Fields...)
		}
	}
	return &out
}

// AccessRequestProblem is something that stands against a request.
type AccessRequestProblem struct {
	// What a submission would be answered.
	Status int `json:"status" example:"409"`
	// Stable code of the problem.
	Code string `json:"code" example:"already_held"`
	// Explanation of the problem, in words.
	Detail string `json:"detail"`
	// JSON pointer to the field that caused the problem. Absent if there is none.
	Pointer string `json:"pointer,omitempty" example:"#/requested_resources/0"`
	// What belongs to it: until, request_id, number, limit, …
	More map[string]any `json:"more,omitempty"`
}

// statuses are what refusals of each kind are answered.
var statuses = map[fault.Kind]int{fault.Forbidden: 403, fault.NotFound: 404, fault.Conflict: 409, fault.Invalid: 422}

// Problems returns all faults of a draft, one by one.
func (d *Draft) Problems() []AccessRequestProblem {
	out := []AccessRequestProblem{}
	for _, f := range d.Faults {
		if len(f.Fields) == 0 {
			out = append(
				out,
				AccessRequestProblem{Status: statuses[f.Kind], Code: f.Code, Detail: f.Message, More: f.Extra},
			)
		}
		for _, field := range f.Fields {
			p := AccessRequestProblem{
				Status:  statuses[f.Kind],
				Code:    f.Code,
				Detail:  f.Message,
				Pointer: field.Pointer,
				More:    f.Extra,
			}
			if f.Kind == fault.Invalid {
				p.Code, p.Detail = field.Code, field.Detail
			}
			out = append(out, p)
		}
	}
	return out
}

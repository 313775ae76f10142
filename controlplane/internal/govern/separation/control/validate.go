package control

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/storedquery"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity/reference"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Check completes the fields, and compares what they name with what is stored. A fault is of kind Invalid or, if
// another control has the name, Conflict. id is that of the control, or empty.
func (f *Fields) Check(ctx context.Context, tx *pg.Tx, id string) error {
	if err := f.Complete(); err != nil {
		return err
	}
	if err := reference.CheckExist(ctx, tx, "control_owner_ids", f.OwnerIDs...); err != nil {
		return err
	}
	if err := reference.CheckExist(ctx, tx, "approver_ids", f.ApproverIDs...); err != nil {
		return err
	}
	if err := f.checkPolicies(ctx, tx); err != nil {
		return err
	}
	if err := f.checkSystems(ctx, tx); err != nil {
		return err
	}
	return f.checkName(ctx, tx, id)
}

// Complete adds the defaults, and checks all that needs no database.
func (f *Fields) Complete() error {
	f.fill()
	var wrong []fault.Field
	if strings.TrimSpace(f.Name) == "" {
		wrong = append(wrong, fault.Field{Pointer: "#/name", Code: "required", Detail: "The control has no name."})
	}
	for _, d := range []struct {
		pointer, text  string
		least, longest time.Duration
	}{
		{"#/max_duration", f.MaxDuration, span.Day, 730 * span.Day},
		{"#/evidence/cadence", f.Evidence.Cadence, span.Day, 365 * span.Day},
		{"#/evidence/grace", f.Evidence.Grace, 0, 90 * span.Day},
	} {
		if got, err := span.Parse(d.text); err != nil || got < d.least || got > d.longest {
			wrong = append(wrong, fault.Field{Pointer: d.pointer, Code: "invalid", Detail: fmt.Sprintf(
				"%q is not an ISO 8601 duration from %s to %s.", d.text, span.Format(d.least), span.Format(d.longest))})
		}
	}
	wrong = append(wrong, f.checkQuery()...)
	if len(wrong) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "The control is invalid: %s", wrong[0].Detail).With(wrong...)
}

// fill adds the defaults: a detective control of medium effectiveness for all violations, for up to 90 days, with an
// attestation every 30 days.
func (f *Fields) fill() {
	for _, d := range []struct {
		of      *string
		initial string
	}{{&f.ControlType, "detective"}, {&f.Effectiveness, "medium"}, {&f.MaxDuration, "P90D"}, {&f.OnLapse, Reopen},
		{&f.Evidence.Kind, Attestation}, {&f.Evidence.Cadence, "P30D"}, {&f.Evidence.Grace, "P7D"}} {
		if *d.of == "" {
			*d.of = d.initial
		}
	}
	if f.Evidence.Required == nil {
		needed := true
		f.Evidence.Required = &needed
	}
	f.OwnerIDs, f.ApproverIDs = distinct(f.OwnerIDs), distinct(f.ApproverIDs)
	f.AppliesTo.PolicyIDs, f.AppliesTo.Severities = distinct(f.AppliesTo.PolicyIDs), distinct(f.AppliesTo.Severities)
}

// distinct returns texts in lower case and in their order, each once. It is never nil, which JSON would write as null.
func distinct(texts []string) []string {
	list := []string{}
	for _, text := range texts {
		if text = strings.ToLower(text); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// checkPolicies checks that the policies exist which the control is for.
func (f *Fields) checkPolicies(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select p.id::text
		  from separation_policy p
		 where p.id = any($1::text[]::uuid[])
		   and p.deleted_at is null`
	ids := slices.DeleteFunc(slices.Clone(f.AppliesTo.PolicyIDs), func(id string) bool { return !listing.IsID(id) })
	known, err := pg.All[string](ctx, tx, "find policies of control", sql, ids)
	if err != nil {
		return err
	}
	for i, id := range f.AppliesTo.PolicyIDs {
		if !slices.Contains(known, id) {
			return fault.New(fault.Invalid, "Separation-of-duties policy %s was not found.", id).
				With(fault.Field{Pointer: fmt.Sprintf("#/applies_to/sod_policy_ids/%d", i), Code: "unknown_policy",
					Detail: "Choose one of GET /policies/separation-of-duties."})
		}
	}
	return nil
}

// checkQuery brings the stored query into its normal form. Kinds of evidence that people provide have none.
func (f *Fields) checkQuery() []fault.Field {
	switch {
	case f.Evidence.Kind != AutomaticQuery:
		f.Evidence.Query = nil
		return nil
	case f.Evidence.Query == nil:
		return []fault.Field{{Pointer: "#/evidence/query", Code: "required",
			Detail: "Automatic evidence needs a query."}}
	}
	query := *f.Evidence.Query // of its own: Fields are compared with those before a change
	f.Evidence.Query = &query
	return f.Evidence.Query.Complete("#/evidence/query")
}

// checkSystems checks that the systems exist which the stored query names.
func (f *Fields) checkSystems(ctx context.Context, tx *pg.Tx) error {
	if f.Evidence.Query == nil {
		return nil
	}
	return storedquery.CheckSystems(ctx, tx, "#/evidence/query/connector_ids", f.Evidence.Query.ConnectorIDs)
}

// checkName is a fault if another control has the name, in whatever case.
func (f *Fields) checkName(ctx context.Context, tx *pg.Tx, id string) error {
	taken, err := pg.NameTaken(ctx, tx, "mitigating_control", f.Name, id)
	if err == nil && taken {
		err = f.nameTaken()
	}
	return err
}

func (f *Fields) nameTaken() error {
	return fault.Coded(fault.Conflict, "duplicate_name", "A mitigating control with the name %q exists.", f.Name).
		With(fault.Field{Pointer: "#/name", Code: "duplicate_name", Detail: "Choose another name."})
}

// written is the error of writing the fields. Another call may have taken the name since it was checked.
func (f *Fields) written(err error) error {
	if pg.Violates(err, "mitigating_control_name_unique") {
		return f.nameTaken()
	}
	return err
}

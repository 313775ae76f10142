package identity

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity/reference"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/pin"
)

// ApplyDates brings the state up to date with the dates.
func (i *Identity) ApplyDates(c rules.Clock, source string) {
	if i.Status == rules.Archived {
		return
	}
	if to := c.State(i.Standing, i.Dates()); to != i.Status {
		i.Status, i.StatusSource, i.StatusReason = to, source, nil
	}
}

// DatesDiffer reports whether changes touch a date that decides the state.
func DatesDiffer(changes []audit.Change) bool {
	return slices.ContainsFunc(changes, func(c audit.Change) bool {
		return slices.Contains(
			[]string{"start_date", "termination_date", "last_working_at", "leave_from", "leave_to"},
			c.Field,
		)
	})
}

// ArchivedError is the fault that an archived identity cannot be changed.
func ArchivedError() error {
	return fault.Coded(fault.Conflict, "identity_archived", "an archived identity cannot be changed")
}

// PinChanges pins the changed fields that a source writes.
func PinChanges(before Identity, after *Identity, changes []audit.Change, p pin.Pin) {
	if before.SourceConnectorID == nil {
		return
	}
	for _, c := range changes {
		switch {
		case slices.Contains(pin.SourceFields, c.Field):
			after.Pins.Set(c.Field, c.From, p)
		case c.Field == "attributes":
			for name := range DifferingAttributes(before.Attributes, after.Attributes) {
				after.Pins.Set(pin.CustomPrefix+name, before.Attributes[name], p)
			}
		}
	}
}

// DifferingAttributes are the names of the custom attributes whose values differ.
func DifferingAttributes(a, b map[string]any) map[string]bool {
	names := map[string]bool{}
	for _, each := range []map[string]any{a, b} {
		for name := range each {
			x, _ := json.Marshal(a[name])
			y, _ := json.Marshal(b[name])
			if string(x) != string(y) {
				names[name] = true
			}
		}
	}
	return names
}

// CheckSponsors refuses a sponsor or backup owner that does not exist.
func CheckSponsors(ctx context.Context, tx *pg.Tx, f IdentityFields) error {
	for member, id := range map[string]*string{"sponsor_id": f.SponsorID, "backup_owner_id": f.BackupOwnerID} {
		if id == nil {
			continue
		}
		if err := reference.CheckExist(ctx, tx, member, *id); err != nil {
			return err
		}
	}
	return nil
}

// patchable is an identity as a merge patch sees it.
type patchable struct {
	// Key of the identity in its source.
	ExternalID string `json:"external_id"`
	// Kind of identity: human or non_human.
	Kind string `json:"kind"`
	IdentityFields
}

// Patched applies a merge patch to the fields of an identity and checks the result.
func Patched(before Identity, body []byte) (IdentityFields, error) {
	if before.Status == rules.Archived {
		return IdentityFields{}, ArchivedError()
	}
	after, err := mergepatch.Apply(patchable{before.ExternalID, before.Kind, before.IdentityFields}, body)
	if err != nil {
		return IdentityFields{}, err
	}
	if before.ManagerFromSource && Text(after.ManagerExternalID) != Text(before.ManagerExternalID) {
		return IdentityFields{}, fault.Coded(
			fault.Conflict,
			"managed_by_source",
			"The manager is set by the source system. Change it there.",
		)
	}
	if after.ExternalID != before.ExternalID || after.Kind != before.Kind {
		return IdentityFields{}, fault.Coded(
			fault.Invalid,
			"read_only_field",
			"external_id and kind cannot be changed after the identity is created.",
		)
	}
	return after.IdentityFields, after.Complete(before.ExternalID, before.Kind, before.IdentityFields)
}

// NewIdentity is the creation payload: what the specification shows, and every other field that can be written.
type NewIdentity struct {
	_ struct{} `json:"-" additionalProperties:"true"`
	// Id in the upstream HR system.
	ExternalID string `json:"external_id" minLength:"1" maxLength:"512"`
	// Kind of the identity. human: a person. non_human: a machine identity, such as a service or a bot.
	Kind string `json:"kind,omitempty" enum:"human,non_human" default:"human"`
	IdentityFields
}

// IdentityPatch are the members that a merge patch may have. external_id and kind are among them, so that changing them
// is refused by name. The name is that of the schema in /openapi.json.
type IdentityPatch struct {
	_ struct{} `json:"-" additionalProperties:"true"`
	// Must be the current external_id, which cannot be changed.
	ExternalID string `json:"external_id,omitempty"`
	// Must be the current kind, which cannot be changed.
	Kind string `json:"kind,omitempty"`
	// Until when fields that a source writes keep what this sets. Without it: until they are unpinned.
	PinUntil string `json:"pin_until,omitempty" format:"date-time"`
	IdentityFields
}

// serverOwned are the members of an identity that only the service sets, beyond those of every resource.
var serverOwned = []string{
	"manager_id",
	"manager_unresolved",
	"manager_from_source",
	"source_connector_id",
	"is_disabled",
	"status_reason",
	"status_source",
	"status_changed_at",
	"last_synced_at",
	"counts",
	"urgent",
	"merged_into_id",
	"merged_ids",
	"previous_identity_id",
	"attribute_sources",
	"manager_cycle",
}

// CheckMembers refuses members that only the service sets. Unknown members are ignored elsewhere.
func CheckMembers(body []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return fault.Coded(fault.Malformed, "malformed_json", "the body must be a JSON object")
	}
	for name := range members {
		if slices.Contains(serverOwned, strings.ToLower(name)) {
			return fault.Coded(fault.Invalid, "read_only_field", "%s is set by the service", name).
				With(fault.Field{Pointer: "#/" + name, Code: "read_only_field", Detail: "leave it out"})
		}
	}
	return nil
}

package directory

import (
	"encoding/json"
	"net/mail"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// NewIdentity is the creation payload: what the specification shows, and every other field that can be written.
type NewIdentity struct {
	_          struct{} `json:"-" additionalProperties:"true"`
	ExternalID string   `json:"external_id" minLength:"1" maxLength:"512" doc:"Id in the upstream HR system."`
	Kind       string   `json:"kind,omitempty" enum:"human,non_human" default:"human"`
	IdentityFields
}

// identityPatch is what a merge patch may hold. external_id and kind are known, so that changing them can be refused by name.
type identityPatch struct {
	_          struct{} `json:"-" additionalProperties:"true"`
	ExternalID string   `json:"external_id,omitempty"`
	Kind       string   `json:"kind,omitempty"`
	PinUntil   string   `json:"pin_until,omitempty" format:"date-time" doc:"Until when fields that a source writes keep what this sets. Without it: until they are unpinned."`
	IdentityFields
}

// serverOwned are the members of an identity that only the service sets, beyond those of every resource.
var serverOwned = []string{"manager_id", "manager_unresolved", "manager_from_source", "source_connector_id", "is_disabled", "status_reason",
	"status_source", "status_changed_at", "last_synced_at", "counts", "urgent", "merged_into_id", "merged_ids", "previous_identity_id",
	"attribute_sources", "manager_cycle"}

// checkMembers refuses what belongs to the service. Members that nobody knows are not its business: they are ignored, by name.
func checkMembers(body []byte) error {
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

// complete trims, defaults and checks what is to be stored for a person, who was before as it says; nobody, when they are new.
func (f *IdentityFields) complete(externalID, kind string, before IdentityFields) error {
	f.tidy()
	before.tidy()
	if f.DisplayName == "" {
		f.DisplayName = f.defaultName(externalID)
	}
	wrong := f.checkForms(before)
	// A source may know no address, or have given it to somebody else: that is not in the way of other changes.
	if kind == "human" && f.Email == nil && (before.Email != nil || before.DisplayName == "") {
		wrong = append(wrong, required("email", "a human needs an e-mail address"))
	}
	if kind == "non_human" && f.SponsorID == nil {
		wrong = append(wrong, required("sponsor_id", "a non-human identity needs a sponsor"))
	}
	if kind == "non_human" && f.BackupOwnerID == nil {
		wrong = append(wrong, required("backup_owner_id", "a non-human identity needs a backup owner for its sponsor"))
	}
	if f.ManagerExternalID != nil && *f.ManagerExternalID == externalID {
		return fault.Coded(fault.Invalid, "self_manager", "an identity cannot be its own manager").
			With(fault.Field{Pointer: "#/manager_external_id", Code: "self_manager", Detail: "name another person, or null"})
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "the identity cannot be stored like this").With(wrong...)
	}
	return nil
}

// tidy makes an empty text absent: a source that sends "" for a field means that it has none.
func (f *IdentityFields) tidy() {
	for _, text := range []**string{&f.EmploymentType, &f.Email, &f.Username, &f.FirstName, &f.MiddleName, &f.LastName, &f.PreferredName,
		&f.EmployeeNumber, &f.Department, &f.Division, &f.Organization, &f.CostCenter, &f.Title, &f.JobCode, &f.JobFamily, &f.Location,
		&f.Country, &f.Locale, &f.Timezone, &f.ManagerExternalID} {
		if *text == nil {
			continue
		}
		trimmed := strings.TrimSpace(**text)
		*text = &trimmed
		if trimmed == "" {
			*text = nil
		}
	}
	f.DisplayName = strings.TrimSpace(f.DisplayName)
	if f.SecondaryEmails == nil {
		f.SecondaryEmails = []string{}
	}
	if f.Attributes == nil {
		f.Attributes = map[string]any{}
	}
	if f.Labels == nil {
		f.Labels = map[string]string{}
	}
}

// defaultName is "first last", or the best that there is instead.
func (f *IdentityFields) defaultName(externalID string) string {
	name := strings.TrimSpace(text(f.FirstName) + " " + text(f.LastName))
	for _, other := range []string{text(f.PreferredName), text(f.Username), text(f.Email), externalID} {
		if name == "" {
			name = other
		}
	}
	return name
}

// wrongDates finds dates of the year 0, which is none: nothing can keep them.
func (f *IdentityFields) wrongDates() []fault.Field {
	var wrong []fault.Field
	for _, d := range []struct {
		name string
		date *string
	}{
		{"hire_date", f.HireDate}, {"start_date", f.StartDate}, {"termination_date", f.TerminationDate}, {"leave_from", f.LeaveFrom}, {"leave_to", f.LeaveTo},
	} {
		if d.date != nil && strings.HasPrefix(*d.date, "0000-") {
			wrong = append(wrong, fault.Field{Pointer: "#/" + d.name, Code: "invalid", Detail: "there is no year 0"})
		}
	}
	if f.LastWorkingAt != nil && f.LastWorkingAt.UTC().Year() < 1 {
		wrong = append(wrong, fault.Field{Pointer: "#/last_working_at", Code: "invalid", Detail: "there is no year 0"})
	}
	return wrong
}

// isAddress accepts a bare address, without the display name that a header may carry.
func isAddress(s string) bool {
	address, err := mail.ParseAddress(s)
	return err == nil && address.Address == s && len(s) <= 254
}

func required(name, why string) fault.Field {
	return fault.Field{Pointer: "#/" + name, Code: "required", Detail: why}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

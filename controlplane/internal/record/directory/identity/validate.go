package identity

import (
	"net/mail"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Complete trims, defaults and checks fields before they are stored. before is what the identity had; of a new one it
// is empty.
func (f *IdentityFields) Complete(externalID, kind string, before IdentityFields) error {
	f.Normalize()
	before.Normalize()
	if f.DisplayName == "" {
		f.DisplayName = f.DefaultName(externalID)
	}
	wrong := f.checkFormats(before)
	// A source may know no address, or have given it to another person: that is not in the way of other changes.
	if kind == "human" && f.Email == nil && (before.Email != nil || before.DisplayName == "") {
		wrong = append(wrong, Required("email", "a human needs an e-mail address"))
	}
	if kind == "non_human" && f.SponsorID == nil {
		wrong = append(wrong, Required("sponsor_id", "a non-human identity needs a sponsor"))
	}
	if kind == "non_human" && f.BackupOwnerID == nil {
		wrong = append(wrong, Required("backup_owner_id", "a non-human identity needs a backup owner for its sponsor"))
	}
	if f.ManagerExternalID != nil && *f.ManagerExternalID == externalID {
		return fault.Coded(fault.Invalid, "self_manager", "an identity cannot be its own manager").
			With(fault.Field{Pointer: "#/manager_external_id", Code: "self_manager",
				Detail: "name another person, or null"})
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "The identity is invalid.").With(wrong...)
	}
	return nil
}

// Normalize makes an empty text absent: a source that sends "" for a field has no value for it.
func (f *IdentityFields) Normalize() {
	for _, text := range []**string{&f.EmploymentType, &f.Email, &f.Username, &f.FirstName, &f.MiddleName, &f.LastName,
		&f.PreferredName,
		&f.EmployeeNumber, &f.Department, &f.Division, &f.Organization, &f.CostCenter, &f.Title, &f.JobCode,
		&f.JobFamily, &f.Location,
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

// DefaultName is "first last", or the best alternative.
func (f *IdentityFields) DefaultName(externalID string) string {
	name := strings.TrimSpace(Text(f.FirstName) + " " + Text(f.LastName))
	for _, other := range []string{Text(f.PreferredName), Text(f.Username), Text(f.Email), externalID} {
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
		{"hire_date", f.HireDate}, {"start_date", f.StartDate}, {"termination_date", f.TerminationDate},
		{"leave_from", f.LeaveFrom}, {"leave_to", f.LeaveTo},
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

// Required is the error of a missing member.
func Required(name, why string) fault.Field {
	return fault.Field{Pointer: "#/" + name, Code: "required", Detail: why}
}

// Text is the value of an optional text, empty where there is none.
func Text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

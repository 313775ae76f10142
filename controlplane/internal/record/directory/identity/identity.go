package identity

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/pin"
)

// Reference points to a record with words for its reader.
type Reference struct {
	ID      string `json:"id"`
	Display string `json:"display"`
}

// IdentityFields are what an administrator, or an upstream HR system, may write of an identity. Dates are YYYY-MM-DD.
type IdentityFields struct {
	EmploymentType *string `json:"employment_type" db:"employment_type" required:"false" enum:"employee,contractor,intern,vendor,partner,student,service,other"`
	// One human has it in a tenant, archived ones aside. Required of humans when they are created by the API or an
	// import. Someone who is created again after they left takes it over from their previous record.
	Email *string `json:"email" db:"email" required:"false" maxLength:"254"`
	// Further addresses.
	SecondaryEmails []string `json:"secondary_emails" db:"secondary_emails" required:"false" nullable:"false" maxItems:"50"`
	Username        *string  `json:"username" db:"username" required:"false" maxLength:"256"`
	FirstName       *string  `json:"first_name" db:"first_name" required:"false" maxLength:"256"`
	MiddleName      *string  `json:"middle_name" db:"middle_name" required:"false" maxLength:"256"`
	LastName        *string  `json:"last_name" db:"last_name" required:"false" maxLength:"256"`
	PreferredName   *string  `json:"preferred_name" db:"preferred_name" required:"false" maxLength:"256"`
	// The default is first and last name.
	DisplayName    string  `json:"display_name" db:"display_name" required:"false" maxLength:"512"`
	EmployeeNumber *string `json:"employee_number" db:"employee_number" required:"false" maxLength:"128"`
	Department     *string `json:"department" db:"department" required:"false" maxLength:"256"`
	Division       *string `json:"division" db:"division" required:"false" maxLength:"256"`
	Organization   *string `json:"organization" db:"organization" required:"false" maxLength:"256"`
	CostCenter     *string `json:"cost_center" db:"cost_center" required:"false" maxLength:"128"`
	Title          *string `json:"title" db:"title" required:"false" maxLength:"256"`
	JobCode        *string `json:"job_code" db:"job_code" required:"false" maxLength:"128"`
	JobFamily      *string `json:"job_family" db:"job_family" required:"false" maxLength:"128"`
	Location       *string `json:"location" db:"location" required:"false" maxLength:"256"`
	// Two letters of ISO 3166-1, such as CH. Other values of a source system are kept unchanged.
	Country *string `json:"country" db:"country" required:"false" maxLength:"64"`
	// A language tag (BCP 47), such as de-CH.
	Locale *string `json:"locale" db:"locale" required:"false" maxLength:"64"`
	// By its IANA name, such as Europe/Zurich.
	Timezone *string `json:"timezone" db:"timezone" required:"false" maxLength:"64"`
	// external_id of the manager, who may come later.
	ManagerExternalID *string `json:"manager_external_id" db:"manager_external_id" required:"false" maxLength:"512"`
	// The sponsor of a person who is not an employee. Required for non_human.
	SponsorID       *string           `json:"sponsor_id" db:"sponsor_id" required:"false" format:"uuid"`
	BackupOwnerID   *string           `json:"backup_owner_id" db:"backup_owner_id" required:"false" format:"uuid"`
	HireDate        *string           `json:"hire_date" db:"hire_date" required:"false" format:"date"`
	StartDate       *string           `json:"start_date" db:"start_date" required:"false" format:"date"`
	TerminationDate *string           `json:"termination_date" db:"termination_date" required:"false" format:"date"`
	LastWorkingAt   *time.Time        `json:"last_working_at" db:"last_working_at" required:"false"`
	LeaveFrom       *string           `json:"leave_from" db:"leave_from" required:"false" format:"date"`
	LeaveTo         *string           `json:"leave_to" db:"leave_to" required:"false" format:"date"`
	Attributes      map[string]any    `json:"attributes" db:"attributes" required:"false"`
	Labels          map[string]string `json:"labels" db:"labels" required:"false"`
}

// Identity is a person, or non-human actor, whom the tenant governs.
type Identity struct {
	ID string `json:"id" db:"id"`
	// Id in the upstream HR system.
	ExternalID string `json:"external_id" db:"external_id"`
	// The authoritative connector; null when made through the API.
	SourceConnectorID *string `json:"source_connector_id" db:"source_connector_id"`
	Kind              string  `json:"kind" db:"kind" enum:"human,non_human"`
	IdentityFields
	ManagerID *string `json:"manager_id" db:"manager_id"`
	// A manager is named who is not known yet.
	ManagerUnresolved bool `json:"manager_unresolved" db:"manager_unresolved"`
	// The manager is read from a source system, and changed there.
	ManagerFromSource bool      `json:"manager_from_source" db:"manager_from_source"`
	Status            string    `json:"status" db:"status" enum:"pre_hire,active,on_leave,notice,deactivated,archived"`
	StatusReason      *string   `json:"status_reason" db:"status_reason"`
	StatusSource      string    `json:"status_source" db:"status_source"`
	StatusChangedAt   time.Time `json:"status_changed_at" db:"status_changed_at"`
	// Deactivated or archived.
	IsDisabled bool `json:"is_disabled" db:"is_disabled"`
	// Their access ends before everybody else's: an immediate termination.
	Urgent bool `json:"urgent" db:"urgent"`
	// Whom this record was merged into.
	MergedIntoID *string `json:"merged_into_id" db:"merged_into_id"`
	// Who this person was when they were here before: a rehire.
	PreviousID   *string    `json:"previous_identity_id" db:"previous_identity_id"`
	LastSyncedAt *time.Time `json:"last_synced_at" db:"last_synced_at"`
	CreatedAt    time.Time  `json:"created_at" db:"created_at"`
	UpdatedAt    time.Time  `json:"updated_at" db:"updated_at"`
	Version      int        `json:"version" db:"version"`
	Standing     string     `json:"-" db:"standing"` // what is said of them apart from their dates
	Pins         pin.Pins   `json:"-" db:"pins"`
}

// Dates are the dates that decide the state.
func (f *IdentityFields) Dates() rules.Dates {
	return rules.Dates{StartDate: f.StartDate, TerminationDate: f.TerminationDate, LastWorkingAt: f.LastWorkingAt,
		LeaveFrom: f.LeaveFrom, LeaveTo: f.LeaveTo}
}

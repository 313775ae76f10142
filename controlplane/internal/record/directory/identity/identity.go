package identity

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/pin"
)

// Reference points to a record with words for its reader.
type Reference struct {
	// ID of the record.
	ID string `json:"id"`
	// Display name of the record.
	Display string `json:"display"`
}

// IdentityFields are what an administrator, or an upstream HR system, may write of an identity. Dates are YYYY-MM-DD.
type IdentityFields struct {
	// Employment type of the person. other: none of the other types. Null: not set.
	EmploymentType *string `json:"employment_type" db:"employment_type" required:"false" enum:"employee,contractor,intern,vendor,partner,student,service,other"`
	// One human has it in a tenant, archived ones aside. Required of humans when they are created by the API or an
	// import. Someone who is created again after they left takes it over from their previous record.
	Email *string `json:"email" db:"email" required:"false" maxLength:"254"`
	// Further addresses.
	SecondaryEmails []string `json:"secondary_emails" db:"secondary_emails" required:"false" nullable:"false" maxItems:"50"`
	// Preferred login name of the person. Null: not set.
	Username *string `json:"username" db:"username" required:"false" maxLength:"256"`
	// First name of the person. Null: not set.
	FirstName *string `json:"first_name" db:"first_name" required:"false" maxLength:"256"`
	// Middle name of the person. Null: not set.
	MiddleName *string `json:"middle_name" db:"middle_name" required:"false" maxLength:"256"`
	// Last name of the person. Null: not set.
	LastName *string `json:"last_name" db:"last_name" required:"false" maxLength:"256"`
	// Name that the person prefers to be called. Null: not set.
	PreferredName *string `json:"preferred_name" db:"preferred_name" required:"false" maxLength:"256"`
	// The default is first and last name.
	DisplayName string `json:"display_name" db:"display_name" required:"false" maxLength:"512"`
	// Employee number of the person. Rehires are recognized by it. Null: not set.
	EmployeeNumber *string `json:"employee_number" db:"employee_number" required:"false" maxLength:"128"`
	// Department of the person. Null: not set.
	Department *string `json:"department" db:"department" required:"false" maxLength:"256"`
	// Division of the person. Null: not set.
	Division *string `json:"division" db:"division" required:"false" maxLength:"256"`
	// Organization of the person, such as a company of the group. Null: not set.
	Organization *string `json:"organization" db:"organization" required:"false" maxLength:"256"`
	// Cost center of the person. Null: not set.
	CostCenter *string `json:"cost_center" db:"cost_center" required:"false" maxLength:"128"`
	// Job title of the person. Null: not set.
	Title *string `json:"title" db:"title" required:"false" maxLength:"256"`
	// Code of the person's job. Null: not set.
	JobCode *string `json:"job_code" db:"job_code" required:"false" maxLength:"128"`
	// Group of similar jobs that the person's job belongs to. Null: not set.
	JobFamily *string `json:"job_family" db:"job_family" required:"false" maxLength:"128"`
	// Place of work of the person, such as a city or an office. Null: not set.
	Location *string `json:"location" db:"location" required:"false" maxLength:"256"`
	// Two letters of ISO 3166-1, such as CH. Other values of a source system are kept unchanged.
	Country *string `json:"country" db:"country" required:"false" maxLength:"64"`
	// A language tag (BCP 47), such as de-CH.
	Locale *string `json:"locale" db:"locale" required:"false" maxLength:"64"`
	// By its IANA name, such as Europe/Zurich.
	Timezone *string `json:"timezone" db:"timezone" required:"false" maxLength:"64"`
	// The external_id of the manager, who may be added later.
	ManagerExternalID *string `json:"manager_external_id" db:"manager_external_id" required:"false" maxLength:"512"`
	// The sponsor of a person who is not an employee. Required for non_human.
	SponsorID *string `json:"sponsor_id" db:"sponsor_id" required:"false" format:"uuid"`
	// ID of the identity that takes over what a leaver owns. For non_human, where it is required, it takes over from
	// the sponsor.
	BackupOwnerID *string `json:"backup_owner_id" db:"backup_owner_id" required:"false" format:"uuid"`
	// Date of the hiring. It does not determine the status. Null: not set.
	HireDate *string `json:"hire_date" db:"hire_date" required:"false" format:"date"`
	// First day of work, in the tenant's time zone. Before it, the status is pre_hire. Null: not set.
	StartDate *string `json:"start_date" db:"start_date" required:"false" format:"date"`
	// Last day of work, in the tenant's time zone. last_working_at takes precedence. Null: no end is set.
	TerminationDate *string `json:"termination_date" db:"termination_date" required:"false" format:"date"`
	// Time of deactivation. It takes precedence over termination_date. Null: not set.
	LastWorkingAt *time.Time `json:"last_working_at" db:"last_working_at" required:"false"`
	// First day of a leave, in the tenant's time zone. Null: not set.
	LeaveFrom *string `json:"leave_from" db:"leave_from" required:"false" format:"date"`
	// Last day of a leave, in the tenant's time zone. Null: no end is set, or no leave.
	LeaveTo *string `json:"leave_to" db:"leave_to" required:"false" format:"date"`
	// Custom attributes of the identity by name. The attribute schema defines their types and allowed values.
	Attributes map[string]any `json:"attributes" db:"attributes" required:"false"`
	// Labels of the identity, as pairs of key and value.
	Labels map[string]string `json:"labels" db:"labels" required:"false"`
}

// Identity is a person, or non-human actor, whom the tenant governs.
type Identity struct {
	// ID of the identity.
	ID string `json:"id" db:"id"`
	// Id in the upstream HR system.
	ExternalID string `json:"external_id" db:"external_id"`
	// The authoritative connector; null when made through the API.
	SourceConnectorID *string `json:"source_connector_id" db:"source_connector_id"`
	// Kind of the identity. human: a person. non_human: a machine identity, such as a service or a bot.
	Kind string `json:"kind" db:"kind" enum:"human,non_human"`
	IdentityFields
	// ID of the manager's identity. Null: no manager, or none found yet.
	ManagerID *string `json:"manager_id" db:"manager_id"`
	// A manager is named who is not known yet.
	ManagerUnresolved bool `json:"manager_unresolved" db:"manager_unresolved"`
	// The manager is read from a source system, and changed there.
	ManagerFromSource bool `json:"manager_from_source" db:"manager_from_source"`
	// State of the identity. pre_hire: before the first day. notice: the last day is near. deactivated: the person has
	// left. archived: it can no longer be changed.
	Status string `json:"status" db:"status" enum:"pre_hire,active,on_leave,notice,deactivated,archived"`
	// Why the identity has this status, as entered by a person or set automatically. Null: not stated.
	StatusReason *string `json:"status_reason" db:"status_reason"`
	// What set the status. hr: a source system. manual: a person. policy: a date or a retention period was reached.
	// import: an import.
	StatusSource string `json:"status_source" db:"status_source"`
	// Time the status or its reason last changed.
	StatusChangedAt time.Time `json:"status_changed_at" db:"status_changed_at"`
	// Deactivated or archived.
	IsDisabled bool `json:"is_disabled" db:"is_disabled"`
	// Their access ends before everybody else's: an immediate termination.
	Urgent bool `json:"urgent" db:"urgent"`
	// Whom this record was merged into.
	MergedIntoID *string `json:"merged_into_id" db:"merged_into_id"`
	// Who this person was when they were here before: a rehire.
	PreviousID *string `json:"previous_identity_id" db:"previous_identity_id"`
	// Time a sync run last wrote the identity. Null: never.
	LastSyncedAt *time.Time `json:"last_synced_at" db:"last_synced_at"`
	// Time the identity was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the identity last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number of the identity, for If-Match.
	Version  int      `json:"version" db:"version"`
	Standing string   `json:"-" db:"standing"` // what is said of them apart from their dates
	Pins     pin.Pins `json:"-" db:"pins"`
}

// Dates are the dates that decide the state.
func (f *IdentityFields) Dates() rules.Dates {
	return rules.Dates{StartDate: f.StartDate, TerminationDate: f.TerminationDate, LastWorkingAt: f.LastWorkingAt,
		LeaveFrom: f.LeaveFrom, LeaveTo: f.LeaveTo}
}

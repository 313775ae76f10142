package account

import (
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// AccountFields are what an administrator may write of an account.
type AccountFields struct {
	// Type of the account. person: a person's normal account. privileged: a person's administrative account.
	// break_glass: an account for emergencies. unknown: not classified; a sync run can still set it.
	AccountType string `json:"account_type" db:"account_type" required:"false" enum:"person,privileged,service,shared,system,bot,ai_agent,break_glass,unknown"`
	// Who writes the account. managed: rules, with all attributes of its template. discovered, the default for accounts
	// that a sync finds: rules disable and enable it and change its grants, but write no attribute. read_only and
	// unmanaged: administrators only, never rules. protected: nothing writes it.
	Managed string `json:"managed" db:"managed" required:"false" enum:"unmanaged,read_only,discovered,managed,protected"`
	// What the account is used for. Null: not stated.
	Purpose *string `json:"purpose" db:"purpose" required:"false" maxLength:"1000"`
}

// Account is a login record in one target system.
type Account struct {
	// ID of the account.
	ID string `json:"id" db:"id"`
	// ID of the connector.
	ConnectorID string `json:"connector_id" db:"connector_id"`
	// The system, for people.
	ConnectorName string `json:"connector_name" db:"connector_name"`
	// The immutable native id in the target system.
	ExternalID string `json:"external_id" db:"external_id"`
	// A native key that people can read, such as a DN.
	NativeIdentity *string `json:"native_identity" db:"native_identity"`
	// Whom the target system names as the owner.
	IdentityExternalID *string `json:"identity_external_id" db:"identity_external_id"`
	// The owner; null when there is none.
	IdentityID *string `json:"identity_id" db:"identity_id"`
	// Owner of the account, with name. Null: the account has no owner.
	Identity *identity.Reference `json:"identity" db:"identity"`
	// Login name of the account in the target system. Null: not reported.
	Username *string `json:"username" db:"username"`
	// E-mail address of the account in the target system. Null: not reported.
	Email *string `json:"email" db:"email"`
	// Display name of the account in the target system. Null: not reported.
	DisplayName *string `json:"display_name" db:"display_name"`
	// First name in the account. Null: not reported.
	FirstName *string `json:"first_name" db:"first_name"`
	// Last name in the account. Null: not reported.
	LastName *string `json:"last_name" db:"last_name"`
	// Employee number in the account. Null: not reported.
	EmployeeNumber *string `json:"employee_number" db:"employee_number"`
	AccountFields
	// Whether the account is disabled in the target system. Null: not reported.
	IsDisabled *bool `json:"is_disabled" db:"is_disabled"`
	// Whether the account is locked in the target system, such as after failed sign-ins. Null: not reported.
	IsLocked *bool `json:"is_locked" db:"is_locked"`
	// Whether the password of the account has expired. Null: not reported.
	PasswordExpired *bool `json:"password_expired" db:"password_expired"`
	// Whether the account is enrolled in multi-factor authentication. Null: not reported.
	MFAEnrolled *bool `json:"mfa_enrolled" db:"mfa_enrolled"`
	// Whether the account has elevated rights, as read from the target system. Null: not reported.
	Privileged *bool `json:"privileged" db:"privileged"`
	// Status of the account. disconnected: its connector was deleted.
	Status string `json:"status" db:"status" enum:"provisioning,active,disabled,locked,missing,deprovisioning,deleted,failed,disconnected"`
	// How the owner was found: state (linked, uncorrelated, disputed, manual, ignored), and the explanation: by (rules
	// or user), decided_at and reason. From rules also score, rule_ids, explanation, candidates and match_explanation,
	// which contains every rule with the compared values.
	Correlation map[string]any `json:"correlation" db:"correlation"`
	// It can be used, and its owner is no longer active, or there has been none for too long; see /accounts/orphaned.
	Orphaned bool `json:"orphaned" db:"orphaned"`
	// Why the account is orphaned. owner_unresolved: it is disputed, or the target system names an owner that was not
	// found. Null: it is not orphaned.
	OrphanReason *string `json:"orphan_reason" db:"orphan_reason" enum:"owner_deactivated,owner_archived,no_owner,owner_unresolved"`
	// Time the account expires in the target system. Null: never, or not reported.
	ExpiresAt *time.Time `json:"expires_at" db:"expires_at"`
	// Last login with the account, as the target system reports. Null: not reported, or never.
	LastLoginAt *time.Time `json:"last_login_at" db:"last_login_at"`
	// Last change of the password in the target system. Null: not reported.
	PasswordLastSetAt *time.Time `json:"password_last_set_at" db:"password_last_set_at"`
	// Time the account was created in the target system. Null: not reported.
	NativeCreatedAt *time.Time `json:"native_created_at" db:"native_created_at"`
	// Time the account was last changed in the target system. Null: not reported.
	NativeModifiedAt *time.Time `json:"native_modified_at" db:"native_modified_at"`
	// Time the account was first recorded in Grantwright.
	FirstSeenAt time.Time `json:"first_seen_at" db:"first_seen_at"`
	// Time since which sync runs have not found the account in the target system. Null: it is not missing.
	MissingSince *time.Time `json:"missing_since" db:"missing_since"`
	// Further attributes of the account from the connector and its mappings, by name.
	Attributes map[string]any `json:"attributes" db:"attributes"`
	// Labels of the account, as pairs of key and value.
	Labels map[string]string `json:"labels" db:"labels"`
	// Time the record of the account was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the record of the account last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number of the account, for If-Match.
	Version int `json:"version" db:"version"`
}

// AccountDetail is one account with how many grants of it the reader may see.
type AccountDetail struct {
	Account
	// Number of grants of the account that you can see.
	Counts AccountCounts `json:"counts"`
}

// AccountCounts are how many of each the reader may see.
type AccountCounts struct {
	// Number of grants of the account that you can see.
	Grants int64 `json:"grants"`
}

// State is how the account stands to an owner.
func (a Account) State() string {
	state, _ := a.Correlation["state"].(string)
	return state
}

// How an account may relate to an owner, after a decision.
const (
	manual       = "manual"
	uncorrelated = "uncorrelated"
	ignored      = "ignored"
)

// decisions are the states that a person may bring an account to, by its state. Linking again is naming another owner.
var decisions = map[string][]string{
	"uncorrelated": {manual, ignored},
	"disputed":     {manual, ignored},
	"linked":       {manual, uncorrelated},
	"manual":       {manual, uncorrelated},
	"ignored":      {manual, uncorrelated},
}

// checkDecision says whether an account may go from one state of correlation to another; otherwise
// it is a conflict with the states that are allowed.
func checkDecision(from, to string) error {
	if slices.Contains(decisions[from], to) {
		return nil
	}
	return fault.Coded(fault.Conflict, "invalid_transition", "an account that is %s cannot become %s", from, to).
		Also("allowed", decisions[from])
}

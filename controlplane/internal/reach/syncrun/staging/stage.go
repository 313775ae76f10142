package staging

import (
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Tables are the stages in the order they are merged, with their columns in the tables' order.
var Tables = [4]struct{ Name, columns string }{
	{
		"stage_identity",
		`new_id, external_id, native_ref, row_hash, email, username, first_name, middle_name, last_name, preferred_name,
		display_name, employee_number, department, division, organization, cost_center, title, job_code, location,
		country, employment_type, manager_ref_kind, manager_ref_value, hire_date, start_date, termination_date,
		    last_working_at, leave_from, leave_to, is_disabled, source_status, attributes, deleted`,
	},
	{
		"stage_account",
		`new_id, external_id, native_ref, row_hash, native_identity, identity_external_id, username, email,
		display_name, first_name, last_name, employee_number, account_type, is_disabled, is_locked, password_expired,
		mfa_enrolled, privileged, expires_at, last_login_at, password_last_set_at, native_created_at,
		    native_modified_at, owner_refs, attributes, deleted`,
	},
	{
		"stage_entitlement",
		`new_id, external_id, native_ref, row_hash, native_identity, kind, name, display_name, description, resource,
		parent_external_ids, privileged, requestable, grantable, revocable, exclusion_group, max_members, owner_refs,
		    attributes, deleted`,
	},
	{
		"stage_grant",
		`new_id, external_id, row_hash, account_external_id, principal_entitlement_external_id, principal_ref_kind,
		principal_ref_value, entitlement_external_id, directness, immutable, assigned_by, starts_at, expires_at,
		    granted_at, last_used_at, attributes, deleted`,
	},
}

// The stages by their place in tables.
const (
	Identities = iota
	Accounts
	Entitlements
	Grants
)

// RecordKeys are the columns of each stage that make two rows the same record.
var RecordKeys = [4]string{
	"external_id",
	"external_id",
	"external_id",
	"entitlement_external_id, account_external_id, principal_entitlement_external_id, principal_ref_kind, " +
		"principal_ref_value, case when entitlement_external_id = '' then external_id end",
}

// ProtocolKinds are the kinds of record in the order of the stages.
var ProtocolKinds = [4]v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants}

// objectNames are the stages' kinds of object, as errors name them.
var objectNames = [...]string{"identity", "account", "entitlement", "grant"}

// names splits a list of columns.
func names(columns string) []string {
	fields := strings.Split(columns, ",")
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields
}

// TableNames are the names of Tables.
func TableNames() (list []string) {
	for _, t := range Tables {
		list = append(list, t.Name)
	}
	return list
}

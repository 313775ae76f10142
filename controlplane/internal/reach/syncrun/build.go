package syncrun

import (
	"encoding/json"
	"maps"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/attribute"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// tables are the stages in the order they are merged, with their columns in the tables' order.
var tables = [4]struct{ name, columns string }{
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
	ofIdentities = iota
	ofAccounts
	ofEntitlements
	ofGrants
)

// objects are the stages' kinds of object, as errors name them.
var objectNames = [...]string{"identity", "account", "entitlement", "grant"}

// batch is a chunk on its way into the stages: the rows of each table, and what was set aside.
type batch struct {
	rows    [4][][]any
	gone    [4]int // of the rows, those that report something as gone
	aside   []setAside
	tally   tally
	scratch []byte // for hashing, used again for every row
}

// builder turns chunks into batches.
type builder struct {
	mapper *mapping.Mapper
	today  time.Time
	schema attribute.Schema // of people's custom attributes
}

// build judges and maps every record of a page. Each row starts with what identifies its place: run and sequence are
// added by the writer.
func (b *builder) build(page *v1.SyncResponse) *batch {
	out := &batch{}
	for i := range page.Identities {
		out.identity(b, &page.Identities[i])
	}
	for i := range page.Accounts {
		out.account(b, &page.Accounts[i])
	}
	for i := range page.Entitlements {
		out.entitlement(b, &page.Entitlements[i])
	}
	for i := range page.Grants {
		out.grant(b, &page.Grants[i])
	}
	out.count([4]int{len(page.Identities), len(page.Accounts), len(page.Entitlements), len(page.Grants)})
	return out
}

// count fills in the tally of a batch that was made of so many records of each kind.
func (o *batch) count(records [4]int) {
	read := func(table int) int64 { return int64(len(o.rows[table]) - o.gone[table]) }
	o.tally.Counters = Counters{
		IdentitiesRead:     read(ofIdentities),
		AccountsDiscovered: read(ofAccounts),
		EntitlementsMapped: read(ofEntitlements),
		GrantsRecorded:     read(ofGrants),
		Errors:             int64(len(o.aside)),
	}
	for i, k := range o.tally.Report.kinds()[:4] {
		k.Quarantined = int64(records[i] - len(o.rows[i]))
	}
}

func (o *batch) identity(b *builder, r *v1.RemoteIdentity) {
	if !o.keyed(ofIdentities, r.ExternalID, r) {
		return
	}
	if r.Deleted {
		o.tombstone(ofIdentities, r, map[string]any{"external_id": r.ExternalID, "native_ref": filled(r.NativeRef)})
		return
	}
	p, problems := b.mapper.Person(r, b.today)
	if !o.mapped(ofIdentities, r.ExternalID, r, problems) {
		return
	}
	custom := p.Attributes(b.schema.Takes)
	for _, a := range b.schema.Coerce(custom) {
		o.aside = append(
			o.aside,
			setAside{
				Object:     objectNames[ofIdentities],
				ExternalID: r.ExternalID,
				Code:       a.Code,
				Message:    a.Message,
				Field:      shortened(a.Name),
			},
		)
	}
	attributes, ok := o.attributes(ofIdentities, r.ExternalID, r, custom)
	if !ok {
		return
	}
	var kind, value *string
	if p.Manager != nil {
		k := string(p.Manager.Kind)
		kind, value = &k, &p.Manager.Value
	}
	t := func(f mapping.Field) *string {
		if v, ok := p.Text[f]; ok {
			return &v
		}
		return nil
	}
	o.put(ofIdentities, r.ExternalID, r, []any{
		nil,
		p.ExternalID,
		filled(p.NativeRef),
		nil,
		t(mapping.Email),
		t(mapping.Username),
		t(mapping.FirstName),
		t(mapping.MiddleName),
		t(mapping.LastName),
		t(mapping.PreferredName),
		t(mapping.DisplayName),
		t(mapping.EmployeeNumber),
		t(mapping.Department),
		t(mapping.Division),
		t(mapping.Organization),
		t(mapping.CostCenter),
		t(mapping.Title),
		t(mapping.JobCode),
		t(mapping.Location),
		t(mapping.Country),
		t(mapping.EmploymentType),
		kind,
		value,
		p.HireDate,
		p.StartDate,
		p.TerminationDate,
		p.LastWorkingAt,
		p.LeaveFrom,
		p.LeaveTo,
		p.IsDisabled,
		filled(p.Said),
		attributes,
		false,
	})
}

// mapped notes what is wrong with a record's values, and reports whether the record may be used all the same.
func (o *batch) mapped(table int, id string, record any, problems []mapping.Problem) bool {
	for _, p := range problems {
		if p.Whole {
			o.reject(table, id, record, p.Code, p.Message, shortened(p.Field))
			return false
		}
	}
	for _, p := range problems {
		about := tellable(id)
		if p.Code == mapping.UnknownEmployment {
			about = "" // the run says it once, not for every person
		}
		o.aside = append(
			o.aside,
			setAside{
				Object:     objectNames[table],
				ExternalID: about,
				Code:       p.Code,
				Message:    p.Message,
				Field:      shortened(p.Field),
			},
		)
	}
	return true
}

// shortened is a source field's name as errors tell it.
func shortened(name string) string {
	if len(name) <= 256 {
		return name
	}
	return strings.ToValidUTF8(name[:256], "") + "…"
}

func (o *batch) account(b *builder, r *v1.RemoteAccount) {
	if !o.keyed(ofAccounts, r.ExternalID, r) {
		return
	}
	if r.Deleted {
		o.tombstone(ofAccounts, r, map[string]any{"external_id": r.ExternalID, "native_ref": filled(r.NativeRef)})
		return
	}
	custom, problems := b.mapper.Account(r)
	if !o.mapped(ofAccounts, r.ExternalID, r, problems) {
		return
	}
	attributes, ok := o.attributes(ofAccounts, r.ExternalID, r, withCustom(r.Attributes, custom))
	if !ok {
		return
	}
	o.put(ofAccounts, r.ExternalID, r, []any{
		nil,
		r.ExternalID,
		filled(r.NativeRef),
		nil,
		filled(r.NativeIdentity),
		r.IdentityExternalID,
		r.Username,
		r.Email,
		r.DisplayName,
		r.FirstName,
		r.LastName,
		r.EmployeeNumber,
		accountType(r.AccountType),
		r.IsDisabled,
		r.IsLocked,
		r.PasswordExpired,
		r.MFAEnrolled,
		r.Privileged,
		r.ExpiresAt,
		r.LastLoginAt,
		r.PasswordLastSetAt,
		r.CreatedAt,
		r.ModifiedAt,
		o.owners(ofAccounts, r.ExternalID, r.OwnerRefs),
		attributes,
		false,
	})
}

// withCustom adds the attributes that mappings have made to those that the source has.
func withCustom(attributes, custom map[string]any) map[string]any {
	if len(custom) == 0 {
		return attributes
	}
	both := make(map[string]any, len(attributes)+len(custom))
	maps.Copy(both, attributes)
	maps.Copy(both, custom)
	return both
}

func (o *batch) entitlement(b *builder, r *v1.RemoteEntitlement) {
	if !o.keyed(ofEntitlements, r.ExternalID, r) {
		return
	}
	if r.Deleted {
		o.tombstone(ofEntitlements, r, map[string]any{"external_id": r.ExternalID, "native_ref": filled(r.NativeRef)})
		return
	}
	custom, problems := b.mapper.Entitlement(r)
	if !o.mapped(ofEntitlements, r.ExternalID, r, problems) {
		return
	}
	attributes, ok := o.attributes(ofEntitlements, r.ExternalID, r, withCustom(r.Attributes, custom))
	if !ok {
		return
	}
	name, display := r.ExternalID, ""
	if r.Name != nil && *r.Name != "" {
		name = *r.Name
	}
	if display = name; r.DisplayName != nil && *r.DisplayName != "" {
		display = *r.DisplayName
	}
	kind := r.Kind
	if kind == "" {
		kind = "group"
	}
	var resource []byte
	if r.Resource != nil {
		resource, _ = json.Marshal(r.Resource)
	}
	o.put(ofEntitlements, r.ExternalID, r, []any{
		nil,
		r.ExternalID,
		filled(r.NativeRef),
		nil,
		filled(r.NativeIdentity),
		kind,
		name,
		display,
		r.Description,
		raw(resource),
		r.ParentExternalIDs,
		r.Privileged,
		r.Requestable,
		r.Grantable,
		r.Revocable,
		filled(r.ExclusionGroup),
		r.MaxMembers,
		o.owners(ofEntitlements, r.ExternalID, r.OwnerRefs),
		attributes,
		false,
	})
}

func (o *batch) grant(b *builder, r *v1.RemoteGrant) {
	named := r.EntitlementExternalID != "" &&
		(r.AccountExternalID != nil || r.PrincipalEntitlementExternalID != nil || r.PrincipalRef != nil)
	if !named && (!r.Deleted || r.ExternalID == "") {
		o.reject(ofGrants, r.ExternalID, r, "incomplete_grant", "a grant needs an entitlement and a principal", "")
		return
	}
	kind, value := principal(r.PrincipalRef)
	if r.Deleted {
		o.tombstone(ofGrants, r, map[string]any{
			"external_id":                       filled(r.ExternalID),
			"account_external_id":               r.AccountExternalID,
			"principal_entitlement_external_id": r.PrincipalEntitlementExternalID,
			"principal_ref_kind":                kind,
			"principal_ref_value":               value,
			"entitlement_external_id":           r.EntitlementExternalID,
		})
		return
	}
	custom, problems := b.mapper.Grant(r)
	if !o.mapped(ofGrants, mapping.GrantName(r), r, problems) {
		return
	}
	attributes, ok := o.attributes(ofGrants, r.ExternalID, r, withCustom(r.Attributes, custom))
	if !ok {
		return
	}
	directness := "direct"
	if r.Directness == "inherited" {
		directness = r.Directness
	}
	o.put(ofGrants, r.ExternalID, r, []any{
		nil,
		filled(r.ExternalID),
		nil,
		r.AccountExternalID,
		r.PrincipalEntitlementExternalID,
		kind,
		value,
		r.EntitlementExternalID,
		directness,
		r.Immutable,
		filled(r.AssignedBy),
		r.StartsAt,
		r.ExpiresAt,
		r.GrantedAt,
		r.LastUsedAt,
		attributes,
		false,
	})
}

// principal is how a grant names who holds it, in the form in which it is looked up.
func principal(ref *v1.Ref) (kind, value *string) {
	if ref == nil {
		return nil, nil
	}
	k, v := string(ref.Kind), ref.Value
	if ref.Kind == v1.RefUsername || ref.Kind == v1.RefEmail {
		v = strings.ToLower(v)
	}
	return &k, &v
}

// tombstone stages a record that the source reports as gone. Of its content only the keys matter.
func (o *batch) tombstone(table int, record any, keys map[string]any) {
	columns := names(tables[table].columns)
	row := make([]any, len(columns))
	for i, column := range columns {
		switch column {
		case "attributes":
			row[i] = noAttributes
		case "owner_refs":
			row[i] = noOwners
		case "deleted":
			row[i] = true
		case "account_type":
			row[i] = "unknown"
		case "kind":
			row[i] = "group"
		case "name", "display_name":
			if table == ofEntitlements {
				row[i] = ""
			}
		case "directness":
			row[i] = "direct"
		default:
			row[i] = keys[column]
		}
	}
	before := len(o.rows[table])
	id, _ := keys["external_id"].(string)
	o.put(table, id, record, row)
	o.gone[table] += len(o.rows[table]) - before
}

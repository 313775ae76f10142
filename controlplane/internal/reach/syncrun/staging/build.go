package staging

import (
	"encoding/json"
	"maps"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/mapper"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/attribute"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Batch is a chunk on its way into the stages: the rows of each table, and what was rejected.
type Batch struct {
	rows [4][][]any
	gone [4]int // of the rows, those that report something as gone
	// Rejected are the records and values that cannot be used; Tally is what the chunk counted.
	Rejected []Rejected
	Tally    counters.PartCount
	scratch  []byte // for hashing, used again for every row
}

// Builder turns chunks into batches.
type Builder struct {
	Mapper *mapper.Mapper
	// Today is the day by which start and end dates decide about a person's status.
	Today  time.Time
	Schema attribute.Schema // of people's custom attributes
}

// Build checks and maps every record of a page. Each row starts with what identifies its record; tenant, run and
// sequence are added by Write.
func (b *Builder) Build(page *v1.SyncResponse) *Batch {
	out := &Batch{}
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

// count fills in the count of a batch that was made of so many records of each kind.
func (o *Batch) count(records [4]int) {
	read := func(table int) int64 { return int64(len(o.rows[table]) - o.gone[table]) }
	o.Tally.Counters = counters.Counters{
		IdentitiesRead:     read(Identities),
		AccountsDiscovered: read(Accounts),
		EntitlementsMapped: read(Entitlements),
		GrantsRecorded:     read(Grants),
		Errors:             int64(len(o.Rejected)),
	}
	for i, k := range o.Tally.Report.Kinds()[:4] {
		k.Quarantined = int64(records[i] - len(o.rows[i]))
	}
}

// identity adds a row for a person: its key is checked, tombstones go a way of their own, fields
// are mapped, and custom attributes are held against the tenant's schema. What is wrong with a
// value is reported and the person is used without it; what is wrong with the whole record sets it
// aside.
func (o *Batch) identity(b *Builder, r *v1.RemoteIdentity) {
	if !o.keyed(Identities, r.ExternalID, r) {
		return
	}
	if r.Deleted {
		o.tombstone(Identities, r, map[string]any{"external_id": r.ExternalID, "native_ref": NullIfEmpty(r.NativeRef)})
		return
	}
	p, problems := b.Mapper.Person(r, b.Today)
	if !o.mapped(Identities, r.ExternalID, r, problems) {
		return
	}
	custom := p.Attributes(b.Schema.Takes)
	for _, a := range b.Schema.Coerce(custom) {
		o.Rejected = append(
			o.Rejected,
			Rejected{
				Object:     objectNames[Identities],
				ExternalID: r.ExternalID,
				Code:       a.Code,
				Message:    a.Message,
				Field:      shortened(a.Name),
			},
		)
	}
	attributes, ok := o.attributes(Identities, r.ExternalID, r, custom)
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
	o.put(Identities, r.ExternalID, r, []any{
		nil,
		p.ExternalID,
		NullIfEmpty(p.NativeRef),
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
		NullIfEmpty(p.Said),
		attributes,
		false,
	})
}

// mapped notes what is wrong with a record's values, and reports whether the record may be used all the same.
func (o *Batch) mapped(table int, id string, record any, problems []mapper.Problem) bool {
	for _, p := range problems {
		if p.Whole {
			o.reject(table, id, record, p.Code, p.Message, shortened(p.Field))
			return false
		}
	}
	for _, p := range problems {
		about := reportedID(id)
		if p.Code == mapper.UnknownEmployment {
			about = "" // the run says it once, not for every person
		}
		o.Rejected = append(
			o.Rejected,
			Rejected{
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

// account adds a row for an account, as identity does for a person.
func (o *Batch) account(b *Builder, r *v1.RemoteAccount) {
	if !o.keyed(Accounts, r.ExternalID, r) {
		return
	}
	if r.Deleted {
		o.tombstone(Accounts, r, map[string]any{"external_id": r.ExternalID, "native_ref": NullIfEmpty(r.NativeRef)})
		return
	}
	custom, problems := b.Mapper.Account(r)
	if !o.mapped(Accounts, r.ExternalID, r, problems) {
		return
	}
	attributes, ok := o.attributes(Accounts, r.ExternalID, r, withCustom(r.Attributes, custom))
	if !ok {
		return
	}
	o.put(Accounts, r.ExternalID, r, []any{
		nil,
		r.ExternalID,
		NullIfEmpty(r.NativeRef),
		nil,
		NullIfEmpty(r.NativeIdentity),
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
		o.owners(Accounts, r.ExternalID, r.OwnerRefs),
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

// entitlement adds a row for an entitlement. The name falls back to the key, the display name to
// the name.
func (o *Batch) entitlement(b *Builder, r *v1.RemoteEntitlement) {
	if !o.keyed(Entitlements, r.ExternalID, r) {
		return
	}
	if r.Deleted {
		o.tombstone(
			Entitlements,
			r,
			map[string]any{"external_id": r.ExternalID, "native_ref": NullIfEmpty(r.NativeRef)},
		)
		return
	}
	custom, problems := b.Mapper.Entitlement(r)
	if !o.mapped(Entitlements, r.ExternalID, r, problems) {
		return
	}
	attributes, ok := o.attributes(Entitlements, r.ExternalID, r, withCustom(r.Attributes, custom))
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
	o.put(Entitlements, r.ExternalID, r, []any{
		nil,
		r.ExternalID,
		NullIfEmpty(r.NativeRef),
		nil,
		NullIfEmpty(r.NativeIdentity),
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
		NullIfEmpty(r.ExclusionGroup),
		r.MaxMembers,
		o.owners(Entitlements, r.ExternalID, r.OwnerRefs),
		attributes,
		false,
	})
}

// grant adds a row for a grant. It needs an entitlement and a principal: an account, a nested
// entitlement or a reference. A tombstone may have a key of its own instead.
func (o *Batch) grant(b *Builder, r *v1.RemoteGrant) {
	named := r.EntitlementExternalID != "" &&
		(r.AccountExternalID != nil || r.PrincipalEntitlementExternalID != nil || r.PrincipalRef != nil)
	if !named && (!r.Deleted || r.ExternalID == "") {
		o.reject(Grants, r.ExternalID, r, "incomplete_grant", "a grant needs an entitlement and a principal", "")
		return
	}
	kind, value := principal(r.PrincipalRef)
	if r.Deleted {
		o.tombstone(Grants, r, map[string]any{
			"external_id":                       NullIfEmpty(r.ExternalID),
			"account_external_id":               r.AccountExternalID,
			"principal_entitlement_external_id": r.PrincipalEntitlementExternalID,
			"principal_ref_kind":                kind,
			"principal_ref_value":               value,
			"entitlement_external_id":           r.EntitlementExternalID,
		})
		return
	}
	custom, problems := b.Mapper.Grant(r)
	if !o.mapped(Grants, mapper.GrantName(r), r, problems) {
		return
	}
	attributes, ok := o.attributes(Grants, r.ExternalID, r, withCustom(r.Attributes, custom))
	if !ok {
		return
	}
	directness := "direct"
	if r.Directness == "inherited" {
		directness = r.Directness
	}
	o.put(Grants, r.ExternalID, r, []any{
		nil,
		NullIfEmpty(r.ExternalID),
		nil,
		r.AccountExternalID,
		r.PrincipalEntitlementExternalID,
		kind,
		value,
		r.EntitlementExternalID,
		directness,
		r.Immutable,
		NullIfEmpty(r.AssignedBy),
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
func (o *Batch) tombstone(table int, record any, keys map[string]any) {
	columns := names(Tables[table].columns)
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
			if table == Entitlements {
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

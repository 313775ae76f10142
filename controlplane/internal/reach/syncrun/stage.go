package syncrun

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Limits of a record. What is beyond is set aside with the reason, and the run goes on.
const (
	maxKey        = 1024      // bytes of an external_id
	maxText       = 64 << 10  // bytes of one value
	maxRecord     = 256 << 10 // bytes of a record's raw attributes
	maxAttributes = 500
)

// tables are the stages in the order they are merged, with their columns in the tables' order.
var tables = []struct{ name, columns string }{
	{"stage_identity", `new_id, external_id, native_ref, row_hash, email, username, first_name, middle_name, last_name, preferred_name, display_name,
		employee_number, department, division, organization, cost_center, title, job_code, location, country, employment_type,
		manager_ref_kind, manager_ref_value, hire_date, start_date, termination_date, is_disabled, source_status, attributes, deleted`},
	{"stage_account", `new_id, external_id, native_ref, row_hash, native_identity, identity_external_id, username, email, display_name, first_name, last_name,
		employee_number, account_type, is_disabled, is_locked, password_expired, mfa_enrolled, privileged, expires_at, last_login_at,
		password_last_set_at, native_created_at, native_modified_at, attributes, deleted`},
	{"stage_entitlement", `new_id, external_id, native_ref, row_hash, native_identity, kind, name, display_name, description, resource,
		parent_external_ids, privileged, requestable, grantable, revocable, exclusion_group, max_members, attributes, deleted`},
	{"stage_grant", `new_id, external_id, row_hash, account_external_id, principal_entitlement_external_id, principal_ref_kind, principal_ref_value,
		entitlement_external_id, directness, immutable, assigned_by, starts_at, expires_at, granted_at, last_used_at, attributes, deleted`},
}

// batch is a chunk on its way into the stages: the rows of each table, and what was set aside.
type batch struct {
	rows     [4][][]any
	aside    []setAside
	counters Counters
	scratch  []byte // for hashing, used again for every row
}

// setAside is a record, or a value of one, that cannot be used. Its message names fields, never values.
type setAside struct{ Object, ExternalID, Code, Message, Field string }

// builder turns chunks into batches.
type builder struct {
	mapper *mapping.Mapper
	today  time.Time
}

// build judges and maps every record of a page. Each row starts with what identifies its place: run and sequence are added
// by the writer.
func (b *builder) build(page *v1.SyncResponse) *batch {
	out := &batch{}
	for i := range page.Identities {
		out.identity(b, &page.Identities[i])
	}
	for i := range page.Accounts {
		out.account(&page.Accounts[i])
	}
	for i := range page.Entitlements {
		out.entitlement(&page.Entitlements[i])
	}
	for i := range page.Grants {
		out.grant(&page.Grants[i])
	}
	out.counters.IdentitiesRead = int64(len(out.rows[0]))
	out.counters.AccountsDiscovered = int64(len(out.rows[1]))
	out.counters.EntitlementsMapped = int64(len(out.rows[2]))
	out.counters.GrantsRecorded = int64(len(out.rows[3]))
	out.counters.Errors = int64(len(out.aside))
	out.counters.Skipped = int64(page.Len() - len(out.rows[0]) - len(out.rows[1]) - len(out.rows[2]) - len(out.rows[3]))
	return out
}

func (o *batch) identity(b *builder, r *v1.RemoteIdentity) {
	if r.Deleted || !o.keyed("identity", r.ExternalID) {
		return
	}
	p, problems := b.mapper.Person(r, b.today)
	for _, problem := range problems {
		o.aside = append(o.aside, setAside{"identity", r.ExternalID, problem.Code, problem.Message, problem.Field})
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
	o.put(0, "identity", r.ExternalID, []any{
		nil, p.ExternalID, filled(p.NativeRef), nil, t(mapping.Email), t(mapping.Username), t(mapping.FirstName), t(mapping.MiddleName), t(mapping.LastName),
		t(mapping.PreferredName), t(mapping.DisplayName), t(mapping.EmployeeNumber), t(mapping.Department), t(mapping.Division), t(mapping.Organization),
		t(mapping.CostCenter), t(mapping.Title), t(mapping.JobCode), t(mapping.Location), t(mapping.Country), t(mapping.EmploymentType),
		kind, value, p.HireDate, p.StartDate, p.TerminationDate, p.IsDisabled, filled(p.Status), noAttributes, false,
	}, 3)
}

func (o *batch) account(r *v1.RemoteAccount) {
	if r.Deleted || !o.keyed("account", r.ExternalID) {
		return
	}
	attributes, ok := o.attributes("account", r.ExternalID, r.Attributes)
	if !ok {
		return
	}
	o.put(1, "account", r.ExternalID, []any{
		nil, r.ExternalID, filled(r.NativeRef), nil, filled(r.NativeIdentity), r.IdentityExternalID, r.Username, r.Email, r.DisplayName, r.FirstName, r.LastName,
		r.EmployeeNumber, accountType(r.AccountType), r.IsDisabled, r.IsLocked, r.PasswordExpired, r.MFAEnrolled, r.Privileged, r.ExpiresAt, r.LastLoginAt,
		r.PasswordLastSetAt, r.CreatedAt, r.ModifiedAt, attributes, false,
	}, 3)
}

func (o *batch) entitlement(r *v1.RemoteEntitlement) {
	if r.Deleted || !o.keyed("entitlement", r.ExternalID) {
		return
	}
	attributes, ok := o.attributes("entitlement", r.ExternalID, r.Attributes)
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
	o.put(2, "entitlement", r.ExternalID, []any{
		nil, r.ExternalID, filled(r.NativeRef), nil, filled(r.NativeIdentity), kind, name, display, r.Description, raw(resource),
		r.ParentExternalIDs, r.Privileged, r.Requestable, r.Grantable, r.Revocable, filled(r.ExclusionGroup), r.MaxMembers, attributes, false,
	}, 3)
}

func (o *batch) grant(r *v1.RemoteGrant) {
	if r.Deleted {
		return
	}
	if r.EntitlementExternalID == "" || (r.AccountExternalID == nil && r.PrincipalEntitlementExternalID == nil && r.PrincipalRef == nil) {
		o.aside = append(o.aside, setAside{"grant", r.ExternalID, "incomplete_grant", "a grant needs an entitlement and a principal", ""})
		return
	}
	attributes, ok := o.attributes("grant", r.ExternalID, r.Attributes)
	if !ok {
		return
	}
	var kind, value *string
	if r.PrincipalRef != nil {
		k := string(r.PrincipalRef.Kind)
		v := r.PrincipalRef.Value
		if r.PrincipalRef.Kind == v1.RefUsername || r.PrincipalRef.Kind == v1.RefEmail {
			v = strings.ToLower(v)
		}
		kind, value = &k, &v
	}
	directness := "direct"
	if r.Directness == "inherited" {
		directness = r.Directness
	}
	o.put(3, "grant", r.ExternalID, []any{
		nil, filled(r.ExternalID), nil, r.AccountExternalID, r.PrincipalEntitlementExternalID, kind, value,
		r.EntitlementExternalID, directness, r.Immutable, filled(r.AssignedBy), r.StartsAt, r.ExpiresAt, r.GrantedAt, r.LastUsedAt, attributes, false,
	}, 2)
}

// keyed checks the record's key.
func (o *batch) keyed(object, id string) bool {
	switch {
	case id == "":
		o.aside = append(o.aside, setAside{object, "", "missing_key", "the record has no external_id", "external_id"})
	case len(id) > maxKey:
		o.aside = append(o.aside, setAside{object, id[:64], "key_too_long", fmt.Sprintf("an external_id may have at most %d bytes", maxKey), "external_id"})
	case strings.ContainsRune(id, 0):
		o.aside = append(o.aside, setAside{object, strings.ReplaceAll(id, "\x00", ""), "invalid_text", "the key holds the character NUL", "external_id"})
	default:
		return true
	}
	return false
}

var noAttributes = raw("{}")

// raw is JSON that is written as it is.
type raw = json.RawMessage

func (o *batch) attributes(object, id string, m map[string]any) (raw, bool) {
	if len(m) == 0 {
		return noAttributes, true
	}
	if len(m) > maxAttributes {
		o.aside = append(o.aside, setAside{object, id, "too_many_attributes", fmt.Sprintf("a record may have at most %d attributes", maxAttributes), ""})
		return nil, false
	}
	b, err := json.Marshal(m)
	switch {
	case err != nil:
		o.aside = append(o.aside, setAside{object, id, "invalid_attributes", "the attributes cannot be written as JSON", ""})
		return nil, false
	case len(b) > maxRecord:
		o.aside = append(o.aside, setAside{object, id, "record_too_large", fmt.Sprintf("a record's attributes may have at most %d bytes", maxRecord), ""})
		return nil, false
	case hasNUL(m):
		o.aside = append(o.aside, setAside{object, id, "invalid_text", "an attribute holds the character NUL", ""})
		return nil, false
	}
	return b, true
}

func hasNUL(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.IndexByte(v, 0) >= 0
	case []any:
		for _, e := range v {
			if hasNUL(e) {
				return true
			}
		}
	case map[string]any:
		for k, e := range v {
			if strings.IndexByte(k, 0) >= 0 || hasNUL(e) {
				return true
			}
		}
	}
	return false
}

// put checks the row's texts, fills in its id and hash, and keeps it. hashAt is the hash's place in the row.
func (o *batch) put(table int, object, id string, row []any, hashAt int) {
	o.scratch = o.scratch[:0]
	for _, v := range row {
		text, ok := hashable(v)
		if !ok {
			o.aside = append(o.aside, setAside{object, id, "invalid_text", "a value is longer than 64 KiB or holds the character NUL", ""})
			return
		}
		// Kind and length before the text, so that no two rows of different values give the same bytes.
		o.scratch = append(o.scratch, kindOf(v))
		o.scratch = binary.AppendUvarint(o.scratch, uint64(len(text)))
		o.scratch = append(o.scratch, text...)
	}
	sum := sha256.Sum256(o.scratch)
	row[0] = binaryUUID(uuid.Must(uuid.NewV7()))
	row[hashAt] = sum[:16]
	o.rows[table] = append(o.rows[table], row)
}

func kindOf(v any) byte {
	if v == nil {
		return 0
	}
	return 1
}

// hashable is a value's text for the hash; ok is false where the value cannot be stored.
func hashable(v any) (text string, ok bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case raw:
		return string(v), true
	case string:
		return v, storable(v)
	case *string:
		if v == nil {
			return "", true
		}
		return "=" + *v, storable(*v)
	case *bool:
		if v == nil {
			return "", true
		}
		return fmt.Sprint(*v), true
	case bool:
		return fmt.Sprint(v), true
	case *int:
		if v == nil {
			return "", true
		}
		return fmt.Sprint(*v), true
	case *time.Time:
		if v == nil {
			return "", true
		}
		return v.UTC().Format(time.RFC3339Nano), true
	case []string:
		for _, s := range v {
			if !storable(s) {
				return "", false
			}
		}
		return strings.Join(v, "\x00"), true
	}
	return fmt.Sprint(v), true
}

func storable(s string) bool { return len(s) <= maxText && strings.IndexByte(s, 0) < 0 }

func filled(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func accountType(hint string) string {
	switch hint {
	case "person", "privileged", "service", "shared", "system", "bot", "ai_agent", "break_glass":
		return hint
	}
	return "unknown"
}

// stage writes a batch: COPY into temporary tables, because COPY into a table under row security is refused, and one
// insert each from there.
func stage(ctx context.Context, tx *pg.Tx, run string, seq int, b *batch) error {
	tenant, err := uuid.Parse(tx.Viewer.Tenant)
	if err != nil {
		return fmt.Errorf("tenant id: %w", err)
	}
	runID, err := uuid.Parse(run)
	if err != nil {
		return fmt.Errorf("run id: %w", err)
	}
	prefix := [2]pgtype.UUID{binaryUUID(tenant), binaryUUID(runID)}
	var batch pgx.Batch
	for i, t := range tables {
		if len(b.rows[i]) == 0 {
			continue
		}
		if _, err := tx.Exec(ctx, "create temp table if not exists tmp_"+t.name+" (like "+t.name+") on commit delete rows"); err != nil {
			return fmt.Errorf("temporary table for %s: %w", t.name, err)
		}
		columns := append([]string{"tenant_id", "run_id", "seq", "ord"}, names(t.columns)...)
		rows := b.rows[i]
		line := make([]any, 0, len(columns))
		source := pgx.CopyFromSlice(len(rows), func(n int) ([]any, error) {
			return append(append(line[:0], prefix[0], prefix[1], seq, n), rows[n]...), nil
		})
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{"tmp_" + t.name}, columns, source); err != nil {
			return fmt.Errorf("copy into %s: %w", t.name, err)
		}
		batch.Queue("insert into " + t.name + " select * from tmp_" + t.name)
	}
	for _, a := range b.aside {
		queueAside(&batch, run, a)
	}
	if batch.Len() == 0 {
		return nil
	}
	if err := tx.SendBatch(ctx, &batch).Close(); err != nil {
		return fmt.Errorf("stage chunk %d: %w", seq, err)
	}
	return nil
}

// maxAsideRows bounds what is kept of what was set aside; the counter goes on.
const maxAsideRows = 10000

func queueAside(batch *pgx.Batch, run string, a setAside) {
	const sql = `
		insert into sync_error (tenant_id, run_id, object, external_id, code, message, field)
		values (current_tenant(), $1, $2, $3, $4, $5, $6)`
	batch.Queue(sql, run, a.Object, a.ExternalID, a.Code, a.Message, a.Field)
}

// binaryUUID spares the driver the way over text, which costs a third of a COPY.
func binaryUUID(id uuid.UUID) pgtype.UUID { return pgtype.UUID{Bytes: id, Valid: true} }

func names(columns string) []string {
	fields := strings.Split(columns, ",")
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields
}

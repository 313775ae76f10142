package control

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// columns are the columns of Control.
const columns = `c.id, c.name, c.description, c.procedure, c.control_type, c.effectiveness,
	c.control_owner_ids::text[] as control_owner_ids, c.approver_ids::text[] as approver_ids, c.enabled, c.applies_to,
	c.evidence, c.max_duration, c.on_lapse, c.origin, c.created_at, c.updated_at, c.version,
	(select count(*)::int from mitigation m where m.control_id = c.id and mitigating(m.state)) as applied`

// Filters narrow a list of controls. All given filters must match.
type Filters struct {
	// Enabled controls, or disabled ones.
	Enabled string `query:"enabled" enum:"true,false"`
	// Controls of this type.
	ControlType string `query:"control_type" enum:"preventive,detective,corrective"`
	// Controls that can be applied to violations of this policy.
	PolicyID string `query:"policy_id" format:"uuid"`
	// Controls that can be applied to violations of this severity.
	Severity string `query:"severity" enum:"low,medium,high,critical"`
	// Controls that this identity owns.
	OwnerID string `query:"owner_id" format:"uuid"`
	// Controls that need this kind of evidence. none: those without evidence.
	EvidenceKind string `query:"evidence_kind" enum:"attestation,upload,link,report,automatic_query,none"`
	// Words in the name or description. All must match; case, accents and order do not matter.
	Q string `query:"q" maxLength:"200"`
	// Sort field. A leading - sorts in descending order.
	Sort string `query:"sort" default:"name" enum:"created_at,name,-created_at,-name"`
}

var orders = map[string]listing.Order{
	"created_at": {Column: "c.id", Type: "uuid"}, // IDs rise with the time of creation
	"name":       {Column: "c.name", Type: "text"},
}

// query returns the list of controls that the filters select, in the order of Sort.
func (f Filters) query() (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	q := &listing.Query{Columns: columns, From: "mitigating_control c", ID: "c.id", Order: order}
	q.Where("c.deleted_at is null", nil)
	q.Is("c.enabled", f.Enabled)
	q.Equal("c.control_type", "control_type", f.ControlType)
	if f.PolicyID != "" {
		q.Where(`(c.applies_to -> 'sod_policy_ids' in ('[]', 'null')
			or c.applies_to -> 'sod_policy_ids' ? lower(@policy_id))`,
			pgx.NamedArgs{"policy_id": f.PolicyID})
	}
	if f.Severity != "" {
		q.Where(`(c.applies_to -> 'severities' in ('[]', 'null') or c.applies_to -> 'severities' ? @severity)`,
			pgx.NamedArgs{"severity": f.Severity})
	}
	if f.OwnerID != "" {
		q.Where("@owner_id::uuid = any(c.control_owner_ids)", pgx.NamedArgs{"owner_id": f.OwnerID})
	}
	if f.EvidenceKind != "" {
		q.Where(`@evidence_kind = case when c.evidence ->> 'required' = 'false' then 'none'
			else coalesce(c.evidence ->> 'kind', 'attestation') end`, pgx.NamedArgs{"evidence_kind": f.EvidenceKind})
	}
	q.Search(f.Q, "c.name", "c.description")
	return q, nil
}

// After returns the position of a control in the order of the list.
func (f Filters) After(c Control) []string {
	if f.Sort == "created_at" || f.Sort == "-created_at" {
		return []string{c.ID, c.ID}
	}
	return []string{c.Name, c.ID}
}

// Find reads a control. locking is a locking clause of the table c, such as " for update of c", or empty. Its fault is
// of kind NotFound.
func Find(ctx context.Context, tx *pg.Tx, id, locking string) (Control, error) {
	missing := fault.New(fault.NotFound, "Mitigating control %s was not found.", id)
	if !listing.IsID(id) {
		return Control{}, missing
	}
	found, err := pg.One[Control](ctx, tx, "find mitigating control",
		`select `+columns+` from mitigating_control c where c.id = $1 and c.deleted_at is null`+locking, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return Control{}, missing
	}
	return found, err
}

// args are the columns of a control as named arguments.
func (f Fields) args(id string) pgx.NamedArgs {
	return pgx.NamedArgs{
		"id":            id,
		"name":          f.Name,
		"description":   f.Description,
		"procedure":     f.Procedure,
		"control_type":  f.ControlType,
		"effectiveness": f.Effectiveness,
		"owner_ids":     f.OwnerIDs,
		"approver_ids":  f.ApproverIDs,
		"enabled":       f.Enabled,
		"applies_to":    f.AppliesTo,
		"evidence":      f.Evidence,
		"max_duration":  f.MaxDuration,
		"on_lapse":      f.OnLapse,
	}
}

// insert writes a new control and its first version.
func insert(ctx context.Context, tx *pg.Tx, id string, n New) error {
	const sql = `
		insert into mitigating_control (tenant_id, id, name, description, procedure, control_type, effectiveness,
		                                control_owner_ids, approver_ids, enabled, applies_to, evidence, max_duration,
		                                on_lapse, origin)
		values (current_tenant(), @id, @name, @description, @procedure, @control_type, @effectiveness,
		        @owner_ids::text[]::uuid[], @approver_ids::text[]::uuid[], @enabled, @applies_to, @evidence,
		        @max_duration, @on_lapse, @origin)`
	args := n.args(id)
	args["origin"] = n.Origin
	if err := pg.Exec(ctx, tx, "insert mitigating control", sql, args); err != nil {
		return n.written(err)
	}
	return keepVersion(ctx, tx, id, n.Fields)
}

// update writes the fields, raises the version and keeps it.
func update(ctx context.Context, tx *pg.Tx, id string, f Fields) error {
	const sql = `
		update mitigating_control
		   set name = @name, description = @description, procedure = @procedure, control_type = @control_type,
		       effectiveness = @effectiveness, control_owner_ids = @owner_ids::text[]::uuid[],
		       approver_ids = @approver_ids::text[]::uuid[], enabled = @enabled, applies_to = @applies_to,
		       evidence = @evidence, max_duration = @max_duration, on_lapse = @on_lapse, updated_at = now(),
		       version = version + 1
		 where id = @id`
	if err := pg.Exec(ctx, tx, "write mitigating control", sql, f.args(id)); err != nil {
		return f.written(err)
	}
	return keepVersion(ctx, tx, id, f)
}

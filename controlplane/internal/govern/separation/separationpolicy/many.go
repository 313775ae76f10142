package separationpolicy

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Write is a policy to be written together with others. Before is nil if it is to be created. The fields are complete,
// see Complete, and name what exists.
type Write struct {
	ID     string
	Before *Policy
	Fields
	Origin map[string]any
}

// All reads all policies as they are stored, by ID. locking is a locking clause of the table p, or empty.
func All(ctx context.Context, tx *pg.Tx, locking string) ([]Policy, error) {
	return pg.All[Policy](ctx, tx, "read all separation-of-duties policies",
		`select `+columns+` from separation_policy p where p.deleted_at is null order by p.id`+locking)
}

// batch is how many objects one statement writes.
const batch = 1000

// WriteAll creates and changes policies, with their versions and the audit entries. The caller has locked those that
// exist. A fault is of kind Conflict if another call has taken a name meanwhile.
func WriteAll(ctx context.Context, tx *pg.Tx, list []Write) error {
	for each := range slices.Chunk(list, batch) {
		if err := writeBatch(ctx, tx, each); err != nil {
			return err
		}
	}
	return nil
}

// row is a policy in the parameter of the statements.
type row struct {
	ID      string         `json:"id"`
	Created bool           `json:"created"`
	Origin  map[string]any `json:"origin"`
	DutyIDs []string       `json:"duty_ids"`
	Fields
	Content Fields `json:"content"`
}

func writeBatch(ctx context.Context, tx *pg.Tx, list []Write) error {
	const (
		source = `from jsonb_to_recordset(@list::jsonb) x (id uuid, created boolean, origin jsonb, duty_ids uuid[],
		               name text, description text, rationale text, regulation_refs text[], owner_ids uuid[],
		               enabled boolean, mode text, severity text, kind text, sides jsonb, n int, matrix jsonb,
		               history_window text, context jsonb, effects jsonb, remediation text,
		               mitigation_policy_ids uuid[], max_mitigation text, exception_rule_id uuid, exemptions jsonb,
		               valid_from timestamptz, valid_to timestamptz, content jsonb)`
		create = `
			insert into separation_policy (tenant_id, id, name, description, rationale, regulation_refs, owner_ids,
			                               enabled, mode, severity, kind, sides, duty_ids, n, matrix, history_window,
			                               context, effects, remediation, mitigation_policy_ids, max_mitigation,
			                               exception_rule_id, exemptions, valid_from, valid_to, origin)
			select current_tenant(), x.id, x.name, x.description, x.rationale, x.regulation_refs, x.owner_ids,
			       x.enabled, x.mode, x.severity, x.kind, x.sides, x.duty_ids, x.n, nullif(x.matrix, 'null'),
			       x.history_window, x.context, x.effects, x.remediation, x.mitigation_policy_ids,
			       x.max_mitigation, x.exception_rule_id, nullif(x.exemptions, 'null'), x.valid_from, x.valid_to,
			       x.origin ` + source + `
			 where x.created`
		change = `
			update separation_policy p
			   set name = x.name, description = x.description, rationale = x.rationale,
			       regulation_refs = x.regulation_refs, owner_ids = x.owner_ids, enabled = x.enabled, mode = x.mode,
			       severity = x.severity, kind = x.kind, sides = x.sides, duty_ids = x.duty_ids, n = x.n,
			       matrix = nullif(x.matrix, 'null'), history_window = x.history_window, context = x.context,
			       effects = x.effects, remediation = x.remediation,
			       mitigation_policy_ids = x.mitigation_policy_ids, max_mitigation = x.max_mitigation,
			       exception_rule_id = x.exception_rule_id,
			       exemptions = nullif(x.exemptions, 'null'), valid_from = x.valid_from, valid_to = x.valid_to,
			       updated_at = now(), version = p.version + 1 ` + source + `
			 where not x.created
			   and p.id = x.id`
		keep = `
			insert into separation_policy_version (tenant_id, policy_id, version, content, changed_by)
			select current_tenant(), p.id, p.version, x.content, @by ` + source + `
			  join separation_policy p on p.id = x.id`
	)
	rows := make([]row, len(list))
	entries := make([]audit.Entry, 0, len(list))
	for i, w := range list {
		rows[i] = row{
			ID: w.ID, Created: w.Before == nil, Origin: w.Origin, DutyIDs: w.Fields.DutyIDs(), Fields: w.Fields,
			Content: w.Fields,
		}
		entry := audit.Entry{
			Action:  "separation_policy.created",
			Subject: audit.Subject{Type: "separation_policy", ID: w.ID, Display: w.Name},
		}
		var err error
		if w.Before == nil {
			entry.Changes, err = audit.Initial(w.Fields)
		} else {
			entry.Action = "separation_policy.updated"
			entry.Changes, err = audit.Diff(w.Before.Fields, w.Fields)
		}
		if err != nil {
			return err
		}
		entries = append(entries, entry)
	}
	args := pgx.NamedArgs{"list": rows, "by": tx.Viewer.Actor()}
	for _, s := range []struct{ what, sql string }{
		{"insert separation-of-duties policies", create},
		{"write separation-of-duties policies", change},
		{"keep versions of separation-of-duties policies", keep},
	} {
		if err := pg.Exec(ctx, tx, s.what, s.sql, args); err != nil {
			return written(err, "")
		}
	}
	return audit.RecordAll(ctx, tx, entries)
}

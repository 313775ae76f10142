package decisiontable

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/table"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// DecisionTableImport is the plan of an import, or what it has done.
type DecisionTableImport struct {
	// Whether the import was a dry run, which changes nothing.
	DryRun bool `json:"dry_run"`
	// ID of the policy. Null: the import creates it.
	PolicyID *string `json:"policy_id"`
	// Display name of the policy.
	Name string `json:"name"`
	// Character encoding of the file.
	Encoding string `json:"encoding" enum:"utf-8,utf-16,windows-1252"`
	// Number of rows of the file.
	RowCount int `json:"row_count"`
	// Number of new rows.
	Added int `json:"added"`
	// Number of rows whose cells stay, and whose access or comment changes.
	Changed int `json:"changed"`
	// Number of rows of the stored table that the file does not have.
	Removed int `json:"removed"`
	// Number of rows that stay as they are.
	Unchanged int `json:"unchanged"`
	// Whether rows that stay change their order.
	Reordered bool `json:"reordered"`
	// Rows that are added, changed or removed, at most 500.
	Items []DecisionTableItem `json:"items" nullable:"false"`
	// What is wrong with the file, at most 1,000. If there is anything, the import cannot be applied.
	Problems []DecisionTableProblem `json:"problems" nullable:"false"`
	// Number of problems.
	ProblemCount int `json:"problem_count"`
	// Check of the table. Null if there are problems.
	Check *DecisionTableCheck `json:"check"`
	// Impact on access, if the policy is enforced. Null otherwise.
	Impact *impact.PolicyImpact `json:"impact"`
	// Hash of the plan, for confirm. Empty if there are problems.
	PlanHash string `json:"plan_hash"`
}

// DecisionTableItem is what becomes of a row.
type DecisionTableItem struct {
	// Effect of the import on the row.
	Action string `json:"action" enum:"added,changed,removed"`
	// Number of the row, counted from 1: in the stored table for removed rows, otherwise in the file.
	Row int `json:"row"`
	// Line of the file. 0 for removed rows.
	Line int `json:"line"`
	// Cells of the row.
	Cells []string `json:"cells" nullable:"false"`
}

const mostItems = 500

// order is what an import is asked for.
type order struct {
	policyID, name, hitPolicy string
	content                   []byte
	confirm                   string
	dry                       bool
}

// plan is what an import would write.
type plan struct {
	before   *accesspolicy.AccessPolicy // nil: the policy is new
	after    accesspolicy.Fields
	sheet    sheet
	problems problems
	out      DecisionTableImport
	seen     int // changes beyond the limits, which the confirmation is for
}

// Import plans the import of a file, and applies it unless it is dry.
func (s *Service) Import(ctx context.Context, v viewer.Viewer, o order) (out DecisionTableImport, err error) {
	p := &plan{}
	p.sheet = read(o.content, &p.problems)
	err = s.DB.AsBulk(ctx, v, func(tx *pg.Tx) error {
		if err := p.resolve(ctx, tx, o); err != nil {
			return err
		}
		if err := s.weigh(ctx, tx, p); err != nil {
			return err
		}
		p.out.DryRun = o.dry
		if o.dry {
			return nil
		}
		if err := p.refusal(o.confirm); err != nil {
			return err
		}
		return p.apply(ctx, tx)
	})
	return p.out, err
}

// resolve finds the policy and what the file names, and compares the tables.
func (p *plan) resolve(ctx context.Context, tx *pg.Tx, o order) error {
	var old *table.DecisionTable
	if o.policyID != "" {
		found, err := find(ctx, tx, o.policyID, " for update of p")
		if err != nil {
			return err
		}
		p.before, p.after, old = &found, found.Fields, found.Table
		if o.hitPolicy == "" {
			o.hitPolicy = found.Table.HitPolicy
		}
		p.out.PolicyID = &found.ID
	} else {
		p.after = accesspolicy.Fields{Name: strings.TrimSpace(o.name), Enabled: true, Mode: accesspolicy.Shadow}
	}
	n, err := findNames(ctx, tx, p.sheet.rows)
	if err != nil {
		return err
	}
	named := p.problems.count
	if named == 0 {
		p.after.Table = tableOf(p.sheet, o.hitPolicy, n, &p.problems)
	}
	p.out.Name, p.out.Encoding, p.out.RowCount = p.after.Name, p.sheet.encoding, len(p.sheet.rows)
	p.out.Items, p.out.Problems = []DecisionTableItem{}, []DecisionTableProblem{}
	if p.problems.count == 0 {
		if err := p.given(ctx, tx); err != nil {
			return err
		}
	}
	if p.problems.count == 0 {
		p.compare(old)
	}
	if p.problems.list != nil {
		p.out.Problems = p.problems.list
	}
	p.out.ProblemCount = p.problems.count
	return nil
}

// given checks the rest of the policy, and that what the rows assign can be given. What the stored policy has may stay.
func (p *plan) given(ctx context.Context, tx *pg.Tx) error {
	standing := accesspolicy.Fields{}
	if p.before != nil {
		standing = p.before.Fields
	}
	_, err := p.after.Check(ctx, tx, standing)
	var refused *fault.Fault
	if !errors.As(err, &refused) || len(refused.Fields) == 0 {
		return err
	}
	for _, w := range refused.Fields {
		var row int
		if _, scanned := fmt.Sscanf(w.Pointer, "#/table/rows/%d/", &row); scanned == nil && row < len(p.sheet.rows) {
			p.problems.add(p.sheet.rows[row].number, "", w.Code, "%s", w.Detail)
			continue
		}
		p.problems.add(0, "", w.Code, "%s", w.Detail)
	}
	return nil
}

// compare lists what becomes of the rows.
func (p *plan) compare(old *table.DecisionTable) {
	c := table.Compare(old, p.after.Table)
	p.out.Added, p.out.Changed, p.out.Removed = len(c.Added), len(c.Changed), len(c.Removed)
	p.out.Unchanged, p.out.Reordered = len(c.Unchanged), c.Reordered
	item := func(action string, row, number int, cells []string) {
		if len(p.out.Items) < mostItems {
			p.out.Items = append(p.out.Items, DecisionTableItem{action, row + 1, number, cells})
		}
	}
	for _, i := range c.Removed {
		item("removed", i, 0, old.Rows[i].Cells)
	}
	for _, i := range c.Changed {
		item("changed", i, p.sheet.rows[i].number, p.after.Table.Rows[i].Cells)
	}
	for _, i := range c.Added {
		item("added", i, p.sheet.rows[i].number, p.after.Table.Rows[i].Cells)
	}
}

// weigh checks the table, and finds the impact of an enforced policy.
func (s *Service) weigh(ctx context.Context, tx *pg.Tx, p *plan) error {
	if p.problems.count > 0 {
		return nil
	}
	found, err := run(ctx, tx, p.after, s.Now())
	if err != nil {
		return err
	}
	p.out.Check = &found
	if p.before != nil && p.after.Applies() {
		planned := p.after
		planned.Schedule = nil // an impact is that of the times when the policy applies
		sim, err := s.Simulations.Plan(ctx, tx, p.before.ID, planned, s.Now(), nil)
		if err != nil {
			return err
		}
		p.out.Impact = &sim.PolicyImpact
		if len(sim.LimitsHit) > 0 {
			p.seen = sim.ReasonsAdded + sim.ReasonsEnded
		}
	}
	p.out.PlanHash = p.hash()
	return nil
}

// hash is the same for the same table of the same version of a policy with the same impact.
func (p *plan) hash() string {
	sum := sha256.New()
	id, version, effect := p.after.Name, 0, ""
	if p.before != nil {
		id, version = p.before.ID, p.before.Version
	}
	if p.out.Impact != nil {
		effect = p.out.Impact.PlanHash
	}
	_ = json.NewEncoder(sum).Encode([]any{id, version, p.after.Table, effect}) // a hash takes all writes
	return hex.EncodeToString(sum.Sum(nil))
}

// mostFields is how many problems a refusal lists.
const mostFields = 100

// refusal is the fault of an import that cannot be applied: it has problems, or is another one than was reviewed.
func (p *plan) refusal(confirm string) error {
	switch {
	case p.problems.count > 0:
		first := p.out.Problems[0]
		fields := make([]fault.Field, 0, mostFields)
		for _, w := range p.out.Problems[:min(mostFields, len(p.out.Problems))] {
			fields = append(fields, fault.Field{Pointer: "#/file", Code: w.Code, Detail: where(w) + w.Detail})
		}
		return fault.Coded(fault.Invalid, "invalid_table", "The file cannot be imported. %d problems were found. The "+
			"first one: %s%s", p.problems.count, where(first), first.Detail).With(fields...)
	case confirm == "":
		return fault.Coded(fault.Conflict, "confirmation_required", "An import is applied with the plan_hash of its "+
			"plan. Review the plan with dry_run, and send its plan_hash in confirm.")
	case confirm != p.out.PlanHash:
		return fault.Coded(fault.Conflict, "plan_changed", "The file, the policy or its impact has changed since the "+
			"plan was made. Review the plan again.")
	}
	return nil
}

// where says in which line a problem is.
func where(w DecisionTableProblem) string {
	switch {
	case w.Line == 0:
		return ""
	case w.Column == "":
		return fmt.Sprintf("line %d: ", w.Line)
	}
	return fmt.Sprintf("line %d, %s: ", w.Line, w.Column)
}

// apply writes what was planned.
func (p *plan) apply(ctx context.Context, tx *pg.Tx) error {
	if p.before == nil {
		made, err := accesspolicy.Create(ctx, tx, accesspolicy.New{Fields: p.after})
		p.out.PolicyID = &made.ID
		return err
	}
	if _, err := accesspolicy.Rewrite(ctx, tx, *p.before, p.after, "policy.table_imported"); err != nil || p.seen == 0 {
		return err
	}
	return accesspolicy.Accept(ctx, tx, p.before.ID, p.seen)
}

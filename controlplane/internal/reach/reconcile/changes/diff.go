package changes

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/hold"
)

// Diff is what a run changes, grouped for the people who must judge it.
type Diff struct {
	// ID of the sync run.
	RunID string `json:"run_id"`
	// Status of the sync run.
	Status string `json:"status"`
	// Whether the run applies changes (apply) or only shows them (preview).
	Purpose string `json:"purpose" enum:"apply,preview"`
	// Number of changes in all.
	Total int64 `json:"total"`
	// Number of changes that await a decision.
	Held int64 `json:"held"`
	// The id of the hold. A release names it.
	Digest string `json:"digest"`
	// Changes grouped by kind.
	Groups []Group `json:"groups" nullable:"false"`
	// Kinds of change that exceeded their safety limits.
	Holds []reconcile.Hold `json:"holds" nullable:"false"`
}

// Group are the changes of one kind.
type Group struct {
	// Kind of safety limit that the changes count toward; null when they count toward none.
	Guard *string `json:"guard" db:"guard"`
	// Kind of the objects that change: identity, account, entitlement, grant or nesting.
	Object string `json:"object" db:"object"`
	// Kind of change: create, update, disable, missing, remove or reappear.
	Change string `json:"change" db:"change"`
	// Number of changes in the group.
	Count int64 `json:"count" db:"count"`
	// Number of changes in the group that await a decision.
	Held int64 `json:"held" db:"held"`
	// Departments with the most changes, at most 20.
	Departments []Share `json:"departments" db:"-" nullable:"false"`
	// Branches of the directory tree with the most changes, at most 20.
	Containers []Share `json:"containers" db:"-" nullable:"false"`
	// Managers with the most changes, at most 20.
	Managers []Share `json:"managers" db:"-" nullable:"false"`
	// Fields that differ in the most changes, at most 20.
	Fields []Share `json:"fields" db:"-" nullable:"false"`
	// First five changes of the group.
	Samples []Change `json:"samples" db:"-" nullable:"false"`
}

// Share is how many changes have a value in common.
type Share struct {
	// Common value of the changes; null for the changes that have none.
	Value *string `json:"value"`
	// Number of changes with this value.
	Count int64 `json:"count"`
}

// maxShares is how many departments, containers or managers a group lists; maxSamples is how many
// changes.
const maxShares, maxSamples = 20, 5

// FindDiff is the diff of a run, as Routes give it.
func FindDiff(ctx context.Context, tx *pg.Tx, connector, run string) (Diff, error) {
	o, err := reconcile.FindRun(ctx, tx, connector, run, "")
	if err != nil {
		return Diff{}, err
	}
	return diffOf(ctx, tx, run, o)
}

// diffOf groups a run's changes.
func diffOf(ctx context.Context, tx *pg.Tx, run string, o reconcile.Outcome) (Diff, error) {
	d := Diff{RunID: run, Status: o.Status, Purpose: o.Purpose}
	args := pgx.NamedArgs{"run": run, "shares": maxShares, "samples": maxSamples}
	groups := `
		select c.guard, c.object, c.change, count(*) as count, count(*) filter (where c.state = 'held') as held
		  from ` + o.Listed + `
		 group by 1, 2, 3
		 order by held desc, count desc, 2, 3`
	var err error
	if d.Groups, err = pg.All[Group](ctx, tx, "group changes", groups, args); err != nil {
		return d, err
	}
	index := map[string]*Group{}
	for i := range d.Groups {
		g := &d.Groups[i]
		g.Departments, g.Containers, g.Managers, g.Fields, g.Samples = []Share{}, []Share{}, []Share{}, []Share{},
			[]Change{}
		index[groupKey(g.Guard, g.Object, g.Change)] = g
		d.Total, d.Held = d.Total+g.Count, d.Held+g.Held
	}
	if err := shares(ctx, tx, o, args, index); err != nil {
		return d, err
	}
	if err := samples(ctx, tx, o, args, index); err != nil {
		return d, err
	}
	if d.Digest, _, err = hold.Digest(ctx, tx, run); err != nil {
		return d, err
	}
	d.Holds, err = hold.List(ctx, tx, run)
	return d, err
}

// groupKey is what changes are grouped by. Kinds and objects have no line breaks.
func groupKey(guard *string, object, change string) string {
	kind := ""
	if guard != nil {
		kind = *guard
	}
	return kind + "\n" + object + "\n" + change
}

// shares fills in what the changes of each group have in common.
func shares(ctx context.Context, tx *pg.Tx, o reconcile.Outcome, args pgx.NamedArgs, index map[string]*Group) error {
	for _, by := range []struct {
		value string
		into  func(*Group) *[]Share
	}{
		{"c.department", func(g *Group) *[]Share { return &g.Departments }},
		{"c.container", func(g *Group) *[]Share { return &g.Containers }},
		{"c.manager", func(g *Group) *[]Share { return &g.Managers }},
		{"unnest(c.fields)", func(g *Group) *[]Share { return &g.Fields }},
	} {
		sql := `
			select guard, object, change, value, n
			  from (select v.*, row_number() over (partition by guard, object, change order by n desc, value) as place,
			               bool_or(value is not null) over (partition by guard, object, change) as useful
			          from (select guard, object, change, value, count(*) as n
			                  from (select c.guard, c.object, c.change, ` + by.value + ` as value from ` + o.Listed +
			`) each
			                 group by 1, 2, 3, 4) v) ranked
			 where place <= @shares and useful
			 order by 1, 2, 3, n desc, value`
		var guard *string
		var object, change string
		var s Share
		if err := pg.Each(
			ctx,
			tx,
			"shares of changes",
			[]any{&guard, &object, &change, &s.Value, &s.Count},
			func() error {
				list := by.into(index[groupKey(guard, object, change)])
				*list = append(*list, s)
				return nil
			},
			sql,
			args,
		); err != nil {
			return err
		}
	}
	return nil
}

// samples adds the first changes of each group, found in one statement.
func samples(ctx context.Context, tx *pg.Tx, o reconcile.Outcome, args pgx.NamedArgs, index map[string]*Group) error {
	sql := `
		select ` + changeColumns + `
		  from (select c.*, row_number() over (partition by c.guard, c.object, c.change order by c.n) as place
		      from ` + o.Listed + `) c
		 where c.place <= @samples
		 order by c.n`
	found, err := pg.All[Change](ctx, tx, "samples of changes", sql, args)
	if err != nil {
		return err
	}
	for _, c := range found {
		g := index[groupKey(c.Guard, c.Object, c.Change)]
		g.Samples = append(g.Samples, c)
	}
	return nil
}

package tasklist

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// OfGroup returns the open tasks with a key that the transaction's viewer may decide, the first due first and at most
// limit of them, and how many more there are.
func OfGroup(ctx context.Context, tx *pg.Tx, group string, limit int) (ids []string, more int64, err error) {
	from, args := tasksOf(tx.Viewer, assignedMine, true)
	sql := `
		with matching as materialized (
		    select t.id, t.due_at
		      from ` + from + `
		     where t.group_key = @group
		       and t.state in ('open', 'claimed'))
		select array(select id::text from matching order by due_at, id limit @most), (select count(*) from matching)`
	args["group"], args["most"] = group, limit
	if err := tx.QueryRow(ctx, sql, args).Scan(&ids, &more); err != nil {
		return nil, 0, fmt.Errorf("find tasks of a group: %w", err)
	}
	if len(ids) == 0 {
		return nil, 0, fault.New(fault.NotFound, "no open task that you may decide has the group_key %q", group)
	}
	return ids, more - int64(len(ids)), nil
}

// Whose tasks are asked for.
const (
	assignedMine      = "mine"
	assignedAll       = "all"
	assignedDelegated = "delegated"
)

// Filters narrow a list of tasks; each one given must hold.
type Filters struct {
	// mine: those that the caller may decide, by name, by delegation or by a role; delegated: those that others may
	// decide for the caller; all: all that the caller can see.
	Assigned string `query:"assigned" default:"mine" enum:"mine,all,delegated"`
	// Several values, separated by commas. The default is open and claimed.
	State []string `query:"state" enum:"open,claimed,decided,expired,cancelled,superseded"`
	// Several values, separated by commas.
	Kind []string `query:"kind" maxItems:"20"`
	// Due before this instant.
	DueBefore time.Time `query:"due_before"`
	// Whether the instant at which they are due has passed.
	Overdue  string `query:"overdue" enum:"true,false"`
	GroupKey string `query:"group_key" maxLength:"500"`
	// Several values, separated by commas.
	RiskLevel []string `query:"risk_level" enum:"low,medium,high,critical"`
	// Several values, separated by commas.
	Priority []string `query:"priority" enum:"low,normal,high,urgent"`
	// Whom or what they are about.
	SubjectID string `query:"subject_id" format:"uuid"`
	// What asks.
	SourceID string `query:"source_id" format:"uuid"`
	// Words, each of which is part of a title or summary, without regard to case, accents and order.
	Q string `query:"q" maxLength:"200"`
	// A leading - is descending. What is never due comes after everything that is.
	Sort string `query:"sort" default:"due_at" enum:"due_at,created_at,priority,-due_at,-created_at,-priority"`
}

var orders = map[string]listing.Order{
	"due_at":     {Column: "coalesce(t.due_at, 'infinity')", Type: "timestamptz"},
	"created_at": {Column: "t.created_at", Type: "timestamptz"},
	"priority":   {Column: "t.urgency", Type: "int"},
}

var urgency = map[string]int{"low": 1, "normal": 2, "high": 3, "urgent": 4}

// After is the position of a task in the order of the list.
func (f Filters) After(t decision.DecisionTask) []string {
	switch f.Sort {
	case "created_at", "-created_at":
		return []string{t.CreatedAt.Format(time.RFC3339Nano), t.ID}
	case "priority", "-priority":
		return []string{strconv.Itoa(urgency[t.Priority]), t.ID}
	}
	if t.DueAt == nil {
		return []string{"infinity", t.ID}
	}
	return []string{t.DueAt.Format(time.RFC3339Nano), t.ID}
}

// waiting says whether only tasks are asked for that wait for a decision.
func (f Filters) waiting() bool {
	for _, s := range f.State {
		if s != decision.Open && s != decision.Claimed {
			return false
		}
	}
	return true
}

// Pieces of the way from a viewer to their tasks. Those of open tasks are found by indexes that hold no others.
const (
	named = `select a.task_id as id from decision_assignee a where a.identity_id = @me::uuid
		and a.dropped_at is null`
	asRole   = `select r.id from decision_task r where r.roles <> '{}' and r.roles && @roles::text[]`
	actedFor = `select f.task_id as id from decision_assignee f where f.acting_for = @me::uuid
		and f.dropped_at is null`
	onlyNamed    = ` and a.open`
	onlyAsRole   = ` and r.state in ('open', 'claimed')`
	onlyActedFor = ` and f.open`
)

// notOwn leaves out what the viewer never decides, though they have a role that is asked. No one is the assignee of
// such a task.
const notOwn = ` and not r.not_for && @parties::text[]::uuid[]`

// tasksOf are the tasks that are asked for, as a table t, with the arguments that it names.
func tasksOf(v viewer.Viewer, assigned string, waiting bool) (from string, args pgx.NamedArgs) {
	roles := make([]string, len(v.Roles))
	for i, r := range v.Roles {
		roles[i] = string(r)
	}
	mine, byRole, delegated := named, asRole, actedFor
	if waiting {
		mine, byRole, delegated = named+onlyNamed, asRole+onlyAsRole, actedFor+onlyActedFor
	}
	args = pgx.NamedArgs{"me": idOrNull(v.Identity), "roles": roles}
	const task = ") m join decision_task t on t.id = m.id"
	switch {
	case assigned == assignedAll && v.SeesAll():
		return "decision_task t", pgx.NamedArgs{}
	case assigned == assignedAll:
		return "(" + mine + " union " + byRole + " union " + delegated + task, args
	case assigned == assignedDelegated:
		return "(" + delegated + " group by f.task_id" + task, pgx.NamedArgs{"me": idOrNull(v.Identity)}
	}
	args["parties"] = decision.OnlyIDs(v.Parties()...)
	return "(" + mine + " union " + byRole + notOwn + task, args
}

func idOrNull(id string) any {
	if !listing.IsID(id) {
		return nil
	}
	return id
}

func (f Filters) query(v viewer.Viewer, now time.Time) (*listing.Query, error) {
	order, err := listing.OrderBy(f.Sort, orders)
	if err != nil {
		return nil, err
	}
	from, args := tasksOf(v, f.Assigned, f.waiting())
	q := &listing.Query{Columns: decision.Columns, From: "decision_task t", Counted: from, ID: "t.id", Order: order}
	if v.SeesAll() {
		q.From, q.Counted = from, ""
	}
	if len(f.State) > 0 {
		args["state"] = f.State
		q.Where("t.state = any(@state)", args)
	} else {
		q.Where("t.state in ('open', 'claimed')", args)
	}
	f.narrow(q, now)
	return q, nil
}

func (f Filters) narrow(q *listing.Query, now time.Time) {
	among := func(column, name string, values []string) {
		if len(values) > 0 {
			q.Where(column+" = any(@"+name+")", pgx.NamedArgs{name: values})
		}
	}
	among("t.kind", "kind", f.Kind)
	among("t.risk_level", "risk_level", f.RiskLevel)
	among("t.priority", "priority", f.Priority)
	q.Equal("t.group_key", "group_key", f.GroupKey)
	q.Equal("t.subject_id", "subject_id", f.SubjectID)
	q.Equal("t.source_id", "source_id", f.SourceID)
	if !f.DueBefore.IsZero() {
		q.Where("t.due_at < @due_before", pgx.NamedArgs{"due_before": f.DueBefore})
	}
	if f.Overdue != "" {
		q.Where("true", pgx.NamedArgs{"now": now})
		q.Is("coalesce(t.due_at < @now, false)", f.Overdue)
	}
	q.Search(f.Q, "t.title", "t.summary")
}

// List gives a page of the tasks that the transaction's viewer can see, and how many there are without paging. What is
// overdue is judged at now.
func List(
	ctx context.Context,
	tx *pg.Tx,
	f Filters,
	now time.Time,
	p pg.Page,
) (items []decision.DecisionTask, total int64, err error) {
	q, err := f.query(tx.Viewer, now)
	if err != nil {
		return nil, 0, err
	}
	if items, total, err = listing.Fetch[decision.DecisionTask](ctx, tx, q, p); err != nil {
		return nil, 0, err
	}
	for i := range items {
		items[i] = items[i].ShownTo(tx.Viewer)
	}
	return items, total, nil
}

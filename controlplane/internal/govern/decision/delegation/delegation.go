package delegation

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// DelegationFields are what may be said of a delegation.
type DelegationFields struct {
	// Who decides.
	DelegateID string `json:"delegate_id" db:"delegate_id" required:"false" format:"uuid"`
	// The kinds of task; none: all.
	Kinds []string `json:"kinds" db:"kinds" required:"false" nullable:"false" maxItems:"50" example:"[\"request_approval\"]"`
	// Systems, by the IDs of their connectors. A task is delegated only if all of its systems are among them. None: all
	// tasks.
	SystemIDs []string `json:"system_ids" db:"system_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
	// Risk levels of the tasks. None: all tasks, also those without a risk level.
	RiskLevels []string `json:"risk_levels" db:"risk_levels" required:"false" nullable:"false" maxItems:"4" enum:"low,medium,high,critical"`
	// Condition that the person of a task must meet: the person who gets the access, or whom the task concerns. It
	// cannot ask for access that people hold. Null: all tasks.
	Condition DelegationCondition `json:"condition" db:"condition" required:"false" nullable:"true"`
	// The default is now.
	StartsAt time.Time `json:"starts_at" db:"starts_at" required:"false"`
	// End of the delegation. Null: until a person ends it.
	EndsAt *time.Time `json:"ends_at" db:"ends_at" required:"false"`
	// Also delegates tasks that are open when the delegation begins. The default is true.
	IncludeOpen bool `json:"include_open" db:"include_open" required:"false"`
	// Reason for the delegation. Empty: none was given.
	Reason string `json:"reason" db:"reason" required:"false" maxLength:"1000" example:"On leave"`
}

// DelegationCondition is a condition over people, as it is sent and stored.
type DelegationCondition map[string]any

// DecisionDelegation says that somebody decides for somebody else, for a time.
type DecisionDelegation struct {
	// ID of the delegation.
	ID string `json:"id" db:"id"`
	// For whom the delegate decides. They go on seeing their tasks, and may decide them too.
	DelegatorID string `json:"delegator_id" db:"delegator_id"`
	// Display name of the person who delegates.
	DelegatorDisplay string `json:"delegator_display" db:"delegator_display"`
	// Display name of the delegate.
	DelegateDisplay string `json:"delegate_display" db:"delegate_display"`
	DelegationFields
	// Systems of system_ids, with their names.
	Systems []decision.Ref `json:"systems" db:"systems" nullable:"false"`
	// The condition in words. Empty: there is no condition.
	Sentence string `json:"sentence" db:"sentence" example:"department is Finance"`
	// Origin of the delegation. self: the delegator created it. admin: an administrator created it.
	Source string `json:"source" db:"source" enum:"self,admin"`
	// State of the delegation. scheduled: it has not begun. ended: its time is over or one of the two people has left.
	// revoked: a person ended it early.
	State string `json:"state" db:"state" enum:"scheduled,active,ended,revoked"`
	// User or service token that created the delegation.
	SetBy decision.Actor `json:"set_by" db:"set_by"`
	// Time the delegation was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time of the last change to the delegation.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number, for If-Match.
	Version int `json:"version" db:"version"`
}

// States of a delegation.
const (
	scheduled = "scheduled"
	active    = "active"
	ended     = "ended"
	revoked   = "revoked"
)

const columns = `d.id, d.delegator_id, coalesce(f.display_name, '') as delegator_display, d.delegate_id,
	coalesce(x.display_name, '') as delegate_display, d.kinds, d.system_ids::text[], d.risk_levels, d.condition,
	    d.sentence,
	    coalesce((select jsonb_agg(jsonb_build_object('type', 'connector', 'id', c.id, 'display', c.name)
	                         order by c.name)
	                from connector c where c.tenant_id = d.tenant_id and c.id = any(d.system_ids)), '[]') as systems,
	    d.starts_at, d.ends_at, d.include_open, d.reason,
	    d.source, d.state, d.set_by, d.created_at, d.updated_at, d.version`

const tables = `decision_delegation d
	left join identity f on f.tenant_id = d.tenant_id and f.id = d.delegator_id
	left join identity x on x.tenant_id = d.tenant_id and x.id = d.delegate_id`

// live says whether it holds, or will.
func (d DecisionDelegation) live() bool {
	return d.State == scheduled || d.State == active
}

// seenBy says whether somebody can see the delegation: both of whom it is about, and who sees the whole tenant.
func (d DecisionDelegation) seenBy(v viewer.Viewer) bool {
	return v.SeesAll() || v.Identity != "" && (v.Identity == d.DelegatorID || v.Identity == d.DelegateID)
}

// Filters narrow a list of delegations; each one given must hold.
type Filters struct {
	DelegatorID string `query:"delegator_id" format:"uuid"`
	DelegateID  string `query:"delegate_id" format:"uuid"`
	// Several values, separated by commas. The default is scheduled and active.
	State []string `query:"state" enum:"scheduled,active,ended,revoked"`
}

func (f Filters) query(v viewer.Viewer) *listing.Query {
	q := &listing.Query{Columns: columns, From: tables, Counted: "decision_delegation d", ID: "d.id",
		Order: listing.Order{Column: "d.id", Type: "uuid", Desc: true}}
	if !v.SeesAll() {
		var me any
		if v.Identity != "" {
			me = v.Identity
		}
		q.Where("(d.delegator_id = @me::uuid or d.delegate_id = @me::uuid)", pgx.NamedArgs{"me": me})
	}
	q.Equal("d.delegator_id", "delegator_id", f.DelegatorID)
	q.Equal("d.delegate_id", "delegate_id", f.DelegateID)
	if len(f.State) > 0 {
		q.Where("d.state = any(@state)", pgx.NamedArgs{"state": f.State})
	} else {
		q.Where("d.state in ('scheduled', 'active')", nil)
	}
	return q
}

// List gives a page of delegations, and how many there are.
func (s *Service) List(
	ctx context.Context,
	v viewer.Viewer,
	f Filters,
	page pg.Page,
) (items []DecisionDelegation, total int64, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		items, total, err = listing.Fetch[DecisionDelegation](ctx, tx, f.query(v), page)
		return err
	})
	return items, total, err
}

// find reads a delegation that the transaction's viewer can see.
func find(ctx context.Context, tx *pg.Tx, id, locking string) (d DecisionDelegation, err error) {
	missing := fault.New(fault.NotFound, "Delegation %s was not found.", id)
	if !listing.IsID(id) {
		return d, missing
	}
	d, err = pg.One[DecisionDelegation](
		ctx,
		tx,
		"find delegation",
		`select `+columns+` from `+tables+` where d.tenant_id = current_tenant()
			and d.id = $1`+locking,
		id,
	)
	switch {
	case errors.Is(err, pgx.ErrNoRows), err == nil && !d.seenBy(tx.Viewer):
		return DecisionDelegation{}, missing
	case err != nil:
		return d, err
	}
	return d, nil
}

package explain

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// AccessExplanation is the whole story of a person and an entitlement: what they hold, why, and why not.
type AccessExplanation struct {
	// Whether the person holds the entitlement, and should, in one sentence.
	Summary string `json:"summary"`
	// All of it in plain words, in order.
	Story []string `json:"story" nullable:"false"`
	// Null if the account has no owner.
	Identity *identity.Reference `json:"identity"`
	// Entitlement that the explanation is about.
	Entitlement identity.Reference `json:"entitlement"`
	// True if a reason allows the access and none denies it.
	Desired bool `json:"desired"`
	// True if the target system has the grant, as far as is known.
	Observed bool `json:"observed"`
	// Why what should be is not so.
	Difference string `json:"difference,omitempty"`
	// Reasons that allow or deny the access, including the latest ones that have ended.
	Reasons []ExplainedReason `json:"reasons" nullable:"false"`
	// Time the access ends. Null: no end is set.
	EndsAt *time.Time `json:"ends_at"`
	// What would end it.
	EndsWith []string `json:"ends_with" nullable:"false"`
	// When and how the grant was first recorded. Null: there is no grant.
	FirstSeen *GrantFirstSeen `json:"first_seen"`
	// Whether changes are written to the target system, and the latest provisioning tasks for this access.
	Provisioning AccessProvisioning `json:"provisioning"`
	// The person's accounts in the system.
	Accounts []identity.Reference `json:"accounts" nullable:"false"`
	// Null when there is none.
	Grant *grant.Grant `json:"grant"`
}

// ExplainedReason is a reason in words.
type ExplainedReason struct {
	grant.GrantReason
	// The reason as one sentence.
	Sentence string `json:"sentence"`
	// Whom the rule is for, in words.
	Rule *string `json:"rule"`
}

// GrantFirstSeen says who saw a grant first.
type GrantFirstSeen struct {
	// Time the grant was first recorded in Grantwright.
	At time.Time `json:"at"`
	// The reading that first saw it; null when it was made from here.
	RunID *string `json:"run_id"`
	// What started the sync run: api, manual, schedule or wizard. Null: no sync run.
	Trigger *string `json:"trigger"`
	// Who started the sync run, with type, id and display. Null: no sync run.
	RequestedBy map[string]any `json:"requested_by"`
	// By the target's own record.
	AssignedBy *string `json:"assigned_by"`
}

// AccessProvisioning says how the target is made to agree.
type AccessProvisioning struct {
	// Whether anything is written to the system now.
	Writes bool `json:"writes"`
	// Why nothing is.
	Because []string `json:"because" nullable:"false"`
	// The last changes of the target that concern it, the newest first.
	Tasks []ExplainedTask `json:"tasks" nullable:"false"`
}

// ExplainedTask is a change of the target, in words.
type ExplainedTask struct {
	// ID of the provisioning task.
	ID string `json:"id" db:"id"`
	// Change of the target system, such as create_account, grant or revoke.
	Operation string `json:"operation" db:"operation"`
	// State of the task: queued, blocked, running, verifying, retrying, done, failed, manual, cancelled or simulated.
	State string `json:"state" db:"state"`
	// Write mode of the task. auto: the change is sent. manual: a person makes it. simulate: it is only recorded.
	Mode string `json:"mode" db:"mode"`
	// Result of the last attempt, such as applied, already, refused or not_sent. Null: no result yet.
	Outcome *string `json:"outcome" db:"outcome"`
	// Class of the error: transient, throttled, auth, config, conflict, invalid, not_found or unsupported. Null: no
	// error.
	ErrorClass *string `json:"error_class" db:"error_class"`
	// Error of the target system. Null: no error, or you are neither administrator nor auditor.
	Error map[string]any `json:"error" db:"error"`
	// How to resolve the error. Null: no advice.
	Advice *string `json:"advice" db:"advice"`
	// Number of attempts so far.
	Attempts int `json:"attempts" db:"attempts"`
	// Earliest time of the next attempt. Null unless the task is queued or retrying.
	NextAttemptAt *time.Time `json:"next_attempt_at" db:"next_attempt_at"`
	// Whether the change was found in the target system: yes or no. none: not checked. pending: the check is still
	// open.
	Verified string `json:"verified" db:"verified"`
	// Time the task was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the task ended. Null: it has not ended.
	FinishedAt *time.Time `json:"finished_at" db:"finished_at"`
	// State of the task as one sentence.
	Sentence string `json:"sentence" db:"-"`
}

// SubjectName names the person, or the account if it has no owner.
func (x *AccessExplanation) SubjectName() string {
	switch {
	case x.Identity != nil:
		return x.Identity.Display
	case x.Grant != nil:
		return "The account " + x.Grant.Account.Display
	}
	return "Nobody"
}

// Service explains access.
type Service struct {
	DB *pg.DB
	// Say describes whom a rule is for; empty if it cannot. Without it no explanation includes that.
	Say func(condition []byte) string
	// Rows returns which rows of a decision table give a person a role, or an entitlement if role is empty. Without it
	// no explanation names rows.
	Rows func(table []byte, facts map[string]any, role, entitlement string) string
}

// Explain returns the whole story of a grant.
func (s *Service) Explain(ctx context.Context, v viewer.Viewer, id string) (x AccessExplanation, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		g, err := grant.Find(ctx, tx, id)
		if err != nil {
			return err
		}
		x = explained(g)
		return s.fill(ctx, tx, &x, pairOf(g))
	})
	return x, err
}

// explained begins the story of a grant.
func explained(g grant.Grant) AccessExplanation {
	return AccessExplanation{
		Grant:       &g,
		Identity:    g.Identity,
		Entitlement: g.Entitlement,
		Desired:     g.Desired,
		Observed:    g.Observed,
		EndsAt:      g.EndsAt,
		Reasons:     inWords(g.Reasons),
	}
}

// inWords adds to each reason its sentence.
func inWords(reasons []grant.GrantReason) []ExplainedReason {
	out := make([]ExplainedReason, len(reasons))
	for i, r := range reasons {
		out[i] = ExplainedReason{GrantReason: r, Sentence: grant.Capitalize(r.Sentence())}
	}
	return out
}

// ExplainPair explains why a person holds an entitlement, or why not.
func (s *Service) ExplainPair(
	ctx context.Context,
	v viewer.Viewer,
	identityID, entitlementID string,
) (x AccessExplanation, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		person, err := identity.Find(ctx, tx, identityID)
		if err != nil {
			return err
		}
		if entitlementID == "" {
			return fault.Coded(fault.Malformed, "invalid_parameter", "set entitlement_id").
				With(fault.Field{Parameter: "entitlement_id", Code: "required",
					Detail: "name the entitlement that they hold, or do not"})
		}
		e, err := entitlement.Lookup(ctx, tx, entitlementID, "")
		if err != nil {
			return err
		}
		if err := mayAsk(ctx, tx, person.ID, e.ID); err != nil {
			return err
		}
		g, err := grantOfPair(ctx, tx, person.ID, e.ID)
		if err != nil {
			return err
		}
		if g != nil {
			x = explained(*g)
			return s.fill(ctx, tx, &x, pairOf(*g))
		}
		x = AccessExplanation{
			Identity:    &identity.Reference{ID: person.ID, Display: person.DisplayName},
			Entitlement: identity.Reference{ID: e.ID, Display: e.Label()},
		}
		if err := s.withoutGrant(ctx, tx, &x, e); err != nil {
			return err
		}
		return s.fill(ctx, tx, &x, pairAsked{identity: &person.ID, entitlement: e.ID, connector: e.ConnectorID})
	})
	return x, err
}

// withoutGrant returns what the ledger has about a pair that the target does not have.
func (s *Service) withoutGrant(ctx context.Context, tx *pg.Tx, x *AccessExplanation, e entitlement.Entitlement) error {
	x.Reasons = []ExplainedReason{}
	if e.ConnectorID == nil {
		return nil
	}
	reasons, err := grant.ReasonsOfPair(ctx, tx, x.Identity.ID, e)
	if err != nil {
		return err
	}
	x.Reasons = inWords(reasons)
	wants, err := desiredOf(ctx, tx, x.Identity.ID, e.ID)
	if err != nil || len(wants) == 0 {
		return err
	}
	x.Desired, x.EndsAt = true, wants[0].EndsAt
	return nil
}

// mayAsk is a fault of kind NotFound for viewers who would not be shown a grant of the pair if there were one.
func mayAsk(ctx context.Context, tx *pg.Tx, identity, entitlement string) error {
	if tx.Viewer.SeesAll() {
		return nil
	}
	const sql = `
		select @identity::uuid = (select viewer_identity())
		    or exists (select from managed_identity() m where m.id = @identity::uuid)
		    or exists (select from owned_entitlement() o where o.id = @entitlement::uuid)`
	var may bool
	if err := tx.QueryRow(ctx, sql, pairArgs(identity, entitlement)).Scan(&may); err != nil {
		return err
	}
	if !may {
		return fault.New(fault.NotFound, "Entitlement %s was not found.", entitlement)
	}
	return nil
}

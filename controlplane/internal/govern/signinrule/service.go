package signinrule

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/user"
)

// Service administers and evaluates rules for sign-in. All fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Users   *user.Service
	Now     func() time.Time
}

// subject names a rule in audit entries.
func subject(id, name string) audit.Subject {
	return audit.Subject{Type: "sign_in_rule", ID: id, Display: name}
}

// Create makes a rule. One that is enabled is evaluated for everybody.
func (s *Service) Create(ctx context.Context, v viewer.Viewer, n NewSignInRule) (SignInRule, error) {
	f := n.fields()
	parsed, err := f.complete()
	if err != nil {
		return SignInRule{}, err
	}
	var out SignInRule
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := canReach(ctx, tx, f); err != nil {
			return err
		}
		id, err := insert(ctx, tx, f, f.sentence(parsed))
		if err != nil {
			return err
		}
		changes, err := audit.Initial(f)
		if err != nil {
			return err
		}
		entry := audit.Entry{Action: "sign_in_rule.created", Subject: subject(id, f.Name), Changes: changes}
		if err := audit.Record(ctx, tx, entry); err != nil {
			return err
		}
		if f.Enabled {
			if err := queue.Enqueue(ctx, tx, queue.Work{Kind: sweepKind, Cause: "rule created"}); err != nil {
				return err
			}
		}
		out, err = find(ctx, tx, id, "")
		return err
	})
	return out, err
}

// Patch changes a rule. A rule that is disabled takes sign-in from its people at once, whatever its limit.
func (s *Service) Patch(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch, body []byte) (
	out SignInRule, err error,
) {
	if err := mergepatch.Keep(body, "name", "invitation", "enabled", "max_loss_percent"); err != nil {
		return out, err
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, id, " for update of r")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		if err := s.apply(ctx, tx, before, body); err != nil {
			return err
		}
		out, err = find(ctx, tx, id, "")
		return err
	})
	return out, err
}

// apply writes what the patch changes, with its consequences.
func (s *Service) apply(ctx context.Context, tx *pg.Tx, before SignInRule, body []byte) error {
	after, parsed, err := patched(before.Fields, body)
	if err != nil {
		return err
	}
	changes, err := audit.Diff(before.Fields, after)
	if err != nil || len(changes) == 0 {
		return err
	}
	if err := canReach(ctx, tx, after); err != nil {
		return err
	}
	if err := store(ctx, tx, before.ID, after, after.sentence(parsed)); err != nil {
		return err
	}
	entry := audit.Entry{Action: "sign_in_rule.updated", Subject: subject(before.ID, after.Name), Changes: changes}
	if err := audit.Record(ctx, tx, entry); err != nil {
		return err
	}
	switch {
	case after.Enabled:
		return queue.Enqueue(ctx, tx, queue.Work{Kind: sweepKind, Cause: "rule changed"})
	case before.Enabled:
		return s.endAll(ctx, tx, before.ID)
	}
	return nil
}

// patched are the fields under a patch. A condition is replaced as a whole.
func patched(before Fields, body []byte) (Fields, condition.Condition, error) {
	bare := before
	bare.Condition = nil
	after, err := mergepatch.Apply(bare, body)
	if err != nil {
		return after, condition.Condition{}, err
	}
	var asked map[string]json.RawMessage
	if err := json.Unmarshal(body, &asked); err != nil {
		return after, condition.Condition{}, err
	}
	if _, given := asked["condition"]; !given {
		after.Condition = before.Condition
	}
	parsed, err := after.complete()
	return after, parsed, err
}

// Delete deletes a rule; its people lose sign-in at once, unless another rule gives it.
func (s *Service) Delete(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := find(ctx, tx, id, " for update of r")
		if err != nil {
			return err
		}
		if err := match.Check(r.Version); err != nil {
			return err
		}
		if err := s.endAll(ctx, tx, id); err != nil {
			return err
		}
		const sql = `delete from sign_in_rule where tenant_id = current_tenant() and id = $1`
		if err := pg.Exec(ctx, tx, "delete rule for sign-in", sql, id); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "sign_in_rule.deleted", Subject: subject(id, r.Name)})
	})
}

// endAll takes from everybody what the rule gives, and brings their users in line.
func (s *Service) endAll(ctx context.Context, tx *pg.Tx, id string) error {
	if err := queue.Lock(ctx, tx, peopleKind); err != nil {
		return err
	}
	const sql = `
		delete from sign_in_grant
		 where tenant_id = current_tenant()
		   and rule_id = $1
		returning identity_id::text`
	people, err := pg.All[string](ctx, tx, "end grants of a rule for sign-in", sql, id)
	if err != nil {
		return err
	}
	for ids := range slices.Chunk(people, batch) {
		if err := s.Users.FollowRules(ctx, tx, ids); err != nil {
			return err
		}
	}
	return nil
}

// Accept ends the hold of a rule: everybody is evaluated now, without its limit.
func (s *Service) Accept(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch) (
	out SignInRule, err error,
) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := queue.Lock(ctx, tx, peopleKind); err != nil {
			return err
		}
		r, err := find(ctx, tx, id, " for update of r")
		if err != nil {
			return err
		}
		if err := match.Check(r.Version); err != nil {
			return err
		}
		if r.HeldAt == nil {
			return fault.Coded(fault.Conflict, "not_held", "The rule is not held.")
		}
		const sql = `
			update sign_in_rule
			   set held_at = null, held_people = 0, counted_from = null, counted = 0, updated_at = now(),
			       version = version + 1
			 where tenant_id = current_tenant()
			   and id = $1`
		if err := pg.Exec(ctx, tx, "end the hold of a rule for sign-in", sql, id); err != nil {
			return err
		}
		if err := eachBatch(ctx, tx, func(ids []string) error { return s.evaluate(ctx, tx, ids, id) }); err != nil {
			return err
		}
		if out, err = find(ctx, tx, id, ""); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{
			Action: "sign_in_rule.accepted", Subject: subject(id, r.Name),
			Context: map[string]any{"people_before": r.People, "people": out.People},
		})
	})
	return out, err
}

// canReach refuses to enable a rule whose people would never learn of it, or could not sign in.
func canReach(ctx context.Context, tx *pg.Tx, f Fields) error {
	if !f.Enabled {
		return nil
	}
	var mail, provider bool
	const sql = `
		select notifications_enabled(),
		       exists (select from identity_provider p where p.tenant_id = current_tenant() and p.enabled)`
	if err := tx.QueryRow(ctx, sql).Scan(&mail, &provider); err != nil {
		return err
	}
	switch {
	case f.Invitation == byMail && !mail:
		return fault.Coded(fault.Conflict, "mail_off", "No mail is sent, so that the people would get no sign-in "+
			"link. Set up mail in the notification settings, or choose single_sign_on.")
	case f.Invitation == bySignOn && !provider:
		return fault.Coded(fault.Conflict, "no_identity_provider",
			"The tenant has no identity provider that is enabled. Add one, or choose mail.")
	}
	return nil
}

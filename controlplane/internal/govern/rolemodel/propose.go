package rolemodel

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/rolemodel/draft"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// ask has the owners of a role and the administrators decide, but not who proposes it.
func (s *Service) ask(ctx context.Context, tx *pg.Tx, p publication) (RolePublication, error) {
	out := p.out("proposed")
	people, err := deciders(ctx, tx, p)
	if err != nil {
		return out, err
	}
	if p.role.Lifecycle == role.Draft {
		after := p.role.RoleFields
		after.Lifecycle = role.Proposed
		if out.Role, err = role.Update(ctx, tx, p.role.ID, after); err != nil {
			return out, err
		}
	}
	if err := s.markProposed(ctx, tx, p); err != nil {
		return out, err
	}
	ids, err := decision.Ask(ctx, tx, []decision.New{p.question(tx.Viewer, people)})
	if err != nil {
		return out, err
	}
	out.TaskID = &ids[0]
	return out, audit.Record(ctx, tx, audit.Entry{
		Action:  "role.proposed",
		Subject: draft.Subject(p.role),
		Context: map[string]any{
			"task_id":             ids[0],
			"risk":                riskier(p.weight),
			"identities_affected": p.IdentitiesAffected,
		},
	})
}

// markProposed notes of the draft of a role in use that it is proposed. Where one in use has none, it becomes one of
// what the role says.
func (s *Service) markProposed(ctx context.Context, tx *pg.Tx, p publication) error {
	if !draft.Gives(p.role.RoleFields) {
		return nil
	}
	const sql = `
		insert into role_draft as d (tenant_id, role_id, content, base_version, proposed, changed_by)
		values (current_tenant(), @role, @content, @base, true, @by)
		    on conflict (tenant_id, role_id) do update
		   set proposed = true, updated_at = now(), version = d.version + 1`
	return pg.Exec(
		ctx,
		tx,
		"note that a role is proposed",
		sql,
		pgx.NamedArgs{"role": p.role.ID, "content": p.role.RoleFields, "base": p.role.Version, "by": draft.By(tx)},
	)
}

// deciders are the owners who may agree. When there is neither one nor another administrator, it is a fault of kind
// Conflict.
func deciders(ctx context.Context, tx *pg.Tx, p publication) ([]decision.Assignee, error) {
	const (
		owners = `
			select i.id::text
			  from identity i
			 where i.id = any(@owners::text[]::uuid[])
			   and unable_to_decide(i.id) = ''
			   and i.id::text <> all(@self)
			 order by 1`
		admins = `
			select exists (select from app_user u
			                where u.status = 'active'
			                  and 'admin' = any(u.roles)
			                  and u.id::text <> all(@self)
			                  and (u.identity_id is null or u.identity_id::text <> all(@self)))`
	)
	self := slices.Concat([]string{}, tx.Viewer.Parties())
	asked := slices.Concat(p.role.OwnerIDs, p.role.BackupOwnerIDs, p.after.OwnerIDs, p.after.BackupOwnerIDs)
	ids, err := pg.All[string](
		ctx,
		tx,
		"find who decides about a role",
		owners,
		pgx.NamedArgs{"owners": asked, "self": self},
	)
	if err != nil {
		return nil, err
	}
	var people []decision.Assignee
	for _, id := range ids {
		people = append(people, decision.Assignee{IdentityID: id})
	}
	if len(people) > 0 {
		return people, nil
	}
	var another bool
	if err := tx.QueryRow(ctx, admins, pgx.NamedArgs{"self": self}).Scan(&another); err != nil {
		return nil, fmt.Errorf("find who decides about a role: %w", err)
	}
	if !another {
		return nil, fault.Coded(
			fault.Conflict,
			"nobody_to_decide",
			"a person other than the proposer must approve, and there is no other owner of the role and no other "+
				"administrator: "+
				"add an owner first",
		)
	}
	return nil, nil
}

// question is the decision task for the owners: publish the role or reject it, with its changes,
// its impact and its risk before and after. There is one task per role, hence the key.
func (p publication) question(v viewer.Viewer, people []decision.Assignee) decision.New {
	q := decision.New{
		Kind:    draft.ProposalKind,
		Key:     p.role.ID,
		Subject: decision.Ref{Type: "role", ID: p.role.ID, Display: p.role.Name},
		Source: decision.Ref{
			Type:    "role",
			ID:      p.role.ID,
			Display: p.role.Name,
		},
		Title: "Publish the role " + p.role.Name,
		Summary: fmt.Sprintf(
			"Number of people who would gain or lose access: %d. The risk of the role is %s.",
			p.IdentitiesAffected,
			riskier(p.weight),
		),
		Context: map[string]any{
			"changes":     p.changes,
			"impact":      p.Impact,
			"risk_before": p.riskBefore,
			"risk_after":  p.riskAfter,
			"proposed_by": who(v),
		},
		Actions: []decision.Action{
			{Key: "approve", Label: "Publish", Style: "positive", Requires: []string{}},
			{Key: "reject", Label: "Reject", Style: "negative", Requires: []string{"comment"}},
		},
		Assignees: people,
		Roles:     []string{string(viewer.Admin)},
		RiskLevel: riskier(p.weight),
		GroupKey:  draft.ProposalKind,
	}
	q.NotFor = v.Parties()
	return q
}

// who names the proposer in the task, with the person behind a service token.
func who(v viewer.Viewer) map[string]any {
	return map[string]any{"type": string(v.Kind), "id": v.ID, "identity_id": v.Identity, "display": v.Display,
		"maker_id": v.Maker, "maker_identity_id": v.MakerIdentity}
}

// proposers are the ids of the person who proposed a role, as who wrote them.
func proposers(by map[string]any) (ids []string) {
	for _, name := range []string{"id", "identity_id", "maker_id", "maker_identity_id"} {
		if id, _ := by[name].(string); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// Answers carry out decisions about the tasks of this package.
func (s *Service) Answers() map[string]decision.Answer {
	return map[string]decision.Answer{draft.ProposalKind: s.answer}
}

// answer publishes roles, or leaves them as they are.
func (s *Service) answer(ctx context.Context, tx *pg.Tx, answered []decision.Answered) ([]error, error) {
	refused := make([]error, len(answered))
	for i, a := range answered {
		inner, err := tx.Begin(ctx)
		if err != nil {
			return nil, fmt.Errorf("answer proposal of role: %w", err)
		}
		err = s.answerOne(ctx, &pg.Tx{Tx: inner, Viewer: tx.Viewer}, a)
		if f := (*fault.Fault)(nil); err != nil && !errors.As(err, &f) {
			return nil, err
		}
		if err != nil {
			refused[i] = err
			err = inner.Rollback(ctx)
		} else {
			err = inner.Commit(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("answer proposal of role: %w", err)
		}
	}
	return refused, nil
}

// answerOne carries a decision out. No one decides about their own proposal, be it through a
// service token of theirs. The role is locked and the publication prepared again: what is published
// is what the role is now.
func (s *Service) answerOne(ctx context.Context, tx *pg.Tx, a decision.Answered) error {
	proposer, _ := a.Task.Context["proposed_by"].(map[string]any)
	if viewer.SamePerson(proposers(proposer), a.Decision.By.Parties()) {
		return fault.Coded(
			fault.Forbidden,
			"own_proposal",
			"you proposed the role, so another person must approve it; to cancel, withdraw the proposal",
		)
	}
	r, err := role.Seen(ctx, tx, viewer.System(tx.Viewer.Tenant), a.Task.Key, " for update of r")
	if err != nil {
		return err
	}
	if a.Decision.Action == "reject" {
		if _, err := unpropose(ctx, tx, r); err != nil {
			return err
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "role.proposal_rejected", Subject: draft.Subject(r), Reason: a.Decision.Comment,
				Context: map[string]any{"task_id": a.Task.ID}},
		)
	}
	p, err := s.prepare(ctx, tx, r)
	if err != nil {
		return err
	}
	after, err := role.Update(ctx, tx, r.ID, p.after)
	if err != nil {
		return err
	}
	if _, err := draft.Remove(ctx, tx, r.ID); err != nil {
		return err
	}
	details := map[string]any{
		"task_id":             a.Task.ID,
		"version":             after.Version,
		"identities_affected": p.IdentitiesAffected,
	}
	maps.Copy(details, map[string]any{"proposed_by": proposer["display"]})
	return audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  "role.published",
			Subject: draft.Subject(after),
			Reason:  a.Decision.Comment,
			Context: details,
		},
	)
}

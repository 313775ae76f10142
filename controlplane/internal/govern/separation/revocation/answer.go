package revocation

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/violation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

// mostRevoked is how many violations of a policy end in automatic revocations within 24 hours. People decide about the
// others.
const mostRevoked = 100

// kindRevocation is the work of automatic revocations. It is of the group of evaluations, which write violations too.
const kindRevocation = "separation_revocation"

// Service revokes access for policies. All fields are needed.
type Service struct {
	DB  *pg.DB
	Now func() time.Time
}

// Kinds are the work of this package.
func (s *Service) Kinds() []queue.Kind {
	return []queue.Kind{{
		Name:    kindRevocation,
		Title:   "Automatic revocation",
		About:   "Revokes the access with the lower risk for violations of policies that order it.",
		Subject: "violation",
		Group:   "separation",
		Batch:   20,
		Work: func(ctx context.Context, tx *pg.Tx, items []queue.Item) error {
			return revokeLowerRisk(ctx, tx, queue.Subjects(items), s.Now())
		},
	}}
}

// unanswered is a violation that its policy is to answer by a revocation.
type unanswered struct {
	ID       string   `db:"id"`
	PolicyID string   `db:"policy_id"`
	Policy   string   `db:"policy"`
	OwnerIDs []string `db:"owner_ids"`
	Enforced bool     `db:"enforced"`
	Repeated bool     `db:"repeated"`
	Lately   int      `db:"lately"` // violations of the policy with automatic revocations
}

// revokeLowerRisk does what policies with the effect revoke_lower_risk order about violations. It leaves alone those
// that are mitigated or covered by an exception, for which a mitigation is proposed, that are no longer there, or that
// were answered already.
func revokeLowerRisk(ctx context.Context, tx *pg.Tx, ids []string, now time.Time) error {
	const sql = `
		select v.id::text, p.id::text as policy_id, p.name as policy, p.owner_ids::text[],
		       p.mode = 'enforce' as enforced, v.revoked_automatically_at is not null as repeated,
		       (select count(*)
		          from violation o
		         where o.policy_id = p.id
		           and o.revoked_automatically_at > @now::timestamptz - interval '24 hours')::int as lately
		  from violation v
		  join separation_policy p on p.id = v.policy_id and p.deleted_at is null and p.enabled
		 where v.id = any(@ids::text[]::uuid[])
		   and v.state = 'open'
		   and v.grade <> 'latent'
		   and v.remediation is null
		   and coalesce(v.automatic_revocation ->> 'outcome', 'recorded') = 'recorded'
		   and p.mode in ('shadow', 'enforce')
		   and p.effects ->> 'on_detect' = 'revoke_lower_risk'
		   and not exists (select
		                     from mitigation m
		                    where m.identity_id = v.identity_id
		                      and m.policy_id = v.policy_id
		                      and m.sides in ('', v.sides)
		                      and (m.state = 'proposed' or mitigating(m.state)))
		   and exception_covering(v.identity_id, v.policy_id, v.sides, v.severity, v.entitlement_ids) is null
		 order by v.id`
	all, err := pg.All[unanswered](ctx, tx, "find violations to revoke", sql, pgx.NamedArgs{"ids": ids, "now": now})
	if err != nil {
		return err
	}
	done := map[string]int{}
	for _, u := range all {
		u.Lately += done[u.PolicyID]
		revoked, err := u.answer(ctx, tx, now)
		if err != nil {
			return err
		}
		if revoked {
			done[u.PolicyID]++
		}
	}
	return nil
}

// answer revokes the cure with the lowest risk, or notes why it is not revoked.
func (u unanswered) answer(ctx context.Context, tx *pg.Tx, now time.Time) (revoked bool, err error) {
	v, err := violation.Locked(ctx, tx, u.ID)
	if err != nil {
		return false, err
	}
	before, err := check.Person(ctx, tx, v.Identity.ID, effective.Changes{}, now)
	if err != nil || !remains(v, before) {
		return false, err
	}
	a := violation.AutomaticRevocation{Outcome: violation.Revoked, Removed: []check.AccessSource{}, At: now}
	switch {
	case u.Repeated:
		a.Cause = new(violation.Repeated)
	case u.Enforced && u.Lately >= mostRevoked:
		a.Cause = new(violation.AtLimit)
	default:
		if err := choose(ctx, tx, &a, v, before, now); err != nil {
			return false, err
		}
	}
	if a.Cause != nil {
		a.Outcome = violation.Asked
	}
	if !u.Enforced {
		a.Outcome = violation.OnlyRecorded
	}
	if a.Outcome == violation.Revoked {
		in := violation.ViolationRemediation{Remove: ids(a.Removed), Reason: u.reason()}
		if _, err := violation.Remediate(ctx, tx, u.ID, httpapi.IfMatch{}, in, false, now); err != nil {
			return false, err
		}
	}
	return a.Outcome == violation.Revoked, u.note(ctx, tx, v, a)
}

// reason is the reason of the revocation in the history of the access.
func (u unanswered) reason() string {
	return "The policy " + u.Policy + " revokes the access with the lower risk when it finds a violation."
}

// remains reports whether a verdict still has a violation, and no mitigation covers it.
func remains(v violation.Violation, verdict check.SeparationVerdict) bool {
	for _, c := range verdict.Violations {
		if c.Policy.ID == v.Conflict.Policy.ID && violation.SidesOf(c) == violation.SidesOf(v.Conflict) {
			return c.Mitigation == nil
		}
	}
	return false
}

// note stores what was done, audits it, and notifies the owners of the policy and the person.
func (u unanswered) note(ctx context.Context, tx *pg.Tx, v violation.Violation, a violation.AutomaticRevocation) error {
	const (
		store = `
			update violation
			   set automatic_revocation = @automatic,
			       revoked_automatically_at = case when @revoked then @at else revoked_automatically_at end,
			       updated_at = now(), version = version + 1
			 where id = @id`
		tell = `
			select notify_people(@ofViolation, @owners::text[]::uuid[], 'violation', @id::uuid, true,
			                     jsonb_build_object('reason', @reason::text)),
			       (select count(notify_people(@ofAccess, array[@person::uuid], 'access_grant', g, true,
			                                   jsonb_build_object('reason', @reason::text)))
			          from unnest(@grants::text[]::uuid[]) g)`
	)
	if p := v.Automatic; p != nil && p.Outcome == a.Outcome && p.Sentence() == a.Sentence() &&
		sameSources(p.Removed, a.Removed) {
		return nil
	}
	args := pgx.NamedArgs{"automatic": a, "revoked": a.Outcome == violation.Revoked, "at": a.At, "id": u.ID,
		"owners": u.OwnerIDs, "person": v.Identity.ID, "grants": ids(a.Removed), "reason": u.reason(),
		"ofViolation": notice.ViolationRevoked, "ofAccess": notice.AccessRevoked}
	if err := pg.Exec(ctx, tx, "note automatic revocation", store, args); err != nil {
		return err
	}
	if a.Outcome == violation.Revoked {
		return pg.Exec(ctx, tx, "tell of automatic revocation", tell, args)
	}
	action := "violation.revocation_recorded"
	if a.Outcome == violation.Asked {
		action = "violation.revocation_asked"
	}
	return audit.Record(ctx, tx, audit.Entry{Action: action, Subject: v.AuditSubject(), Objects: v.AuditObjects(),
		Reason: a.Sentence(), Context: map[string]any{"cause": a.Cause, "grant_ids": ids(a.Removed)}})
}

// ids are the IDs of sources.
func ids(sources []check.AccessSource) []string {
	list := make([]string, len(sources))
	for i, s := range sources {
		list[i] = s.ID
	}
	return list
}

func sameSources(a, b []check.AccessSource) bool {
	one, other := ids(a), ids(b)
	slices.Sort(one)
	slices.Sort(other)
	return slices.Equal(one, other)
}

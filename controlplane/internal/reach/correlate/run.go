package correlate

import (
	"context"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Run looks for the owners of accounts at the end of a connector's run: in the whole tenant for accounts without one,
// because a person may have arrived through another connector, and for those of this connector whose keys have changed.
// It tells how many accounts it gave an owner. A run that finds everything as it was writes nothing.
func Run(ctx context.Context, tx *pg.Tx, connector string) (linked int64, err error) {
	return correlate(ctx, tx, scope{linkedOf: connector})
}

// RunChanges is Run after a reading of changes: of the accounts that have an owner it looks at those that this run
// changed.
func RunChanges(ctx context.Context, tx *pg.Tx, connector, run string) (linked int64, err error) {
	return correlate(ctx, tx, scope{linkedOf: connector, changedBy: run})
}

func correlate(ctx context.Context, tx *pg.Tx, sc scope) (linked int64, err error) {
	var t CorrelationCounts
	err = run(ctx, tx, sc, func(p *plan, list []judgement) error {
		t.add(list)
		return p.store(ctx, tx, written(list))
	})
	return t.Gains + t.ChangedOwners, err
}

// run judges the accounts of a scope, batch by batch. One run at a time works in a tenant, so that two do not wait for
// each other's rows crosswise.
func run(ctx context.Context, tx *pg.Tx, sc scope, fn func(*plan, []judgement) error) error {
	const lock = `select pg_advisory_xact_lock(hashtextextended('correlate ' || current_tenant()::text, 0))`
	if _, err := tx.Exec(ctx, lock); err != nil {
		return fmt.Errorf("wait for another correlation: %w", err)
	}
	list, err := shares(ctx, tx, sc)
	if err != nil {
		return err
	}
	for _, sh := range list {
		for after := (id{}); ; {
			subjects, err := sh.subjects(ctx, tx, sc, after)
			if err != nil {
				return err
			}
			if len(subjects) == 0 {
				break
			}
			judged, err := sh.judge(ctx, tx, subjects)
			if err != nil {
				return err
			}
			if err := fn(sh.plan, judged); err != nil {
				return err
			}
			if after = subjects[len(subjects)-1].id; len(subjects) < batch {
				break
			}
		}
	}
	return nil
}

// change is what a verdict does to an account.
type change int

const (
	none      change = iota // nothing, and nothing is written
	confirmed               // the owner stays; why is written anew
	gained                  // it has an owner now
	moved                   // it has another owner
	lost                    // it has none any more
	contested               // people have to decide
	withdrawn               // people had to decide, and need not any more: nobody is left
	explained               // it stands as before, for another reason
)

// judgement is what a plan makes of an account, and what that changes.
type judgement struct {
	subject  *subject
	verdict  verdict
	document document
	change   change
}

func written(list []judgement) []judgement {
	return slices.DeleteFunc(slices.Clone(list), func(j judgement) bool { return j.change == none })
}

// judge decides about a batch of accounts.
func (p *plan) judge(ctx context.Context, tx *pg.Tx, subjects []subject) ([]judgement, error) {
	pairs, err := p.pair(subjects, func(visit func(id, []values)) error { return p.people(ctx, tx, visit) })
	if err != nil {
		return nil, err
	}
	list := make([]judgement, len(subjects))
	for i := range subjects {
		list[i] = p.judgeOne(&subjects[i], pairs.found(i), pairs.owner(i))
	}
	return list, nil
}

func (p *plan) judgeOne(s *subject, people []*person, owner *person) judgement {
	candidates := make([]candidate, len(people))
	for i, who := range people {
		candidates[i] = p.weigh(s, who)
	}
	j := judgement{subject: s, verdict: p.decide(s, candidates, owner)}
	if j.verdict.state == uncorrelated && s.state == uncorrelated && (j.verdict.why == nobody || s.decidedByUser()) {
		return j // as it was: nobody is found, and what a person said about it stays
	}
	j.document = p.document(s, j.verdict)
	j.change = j.compare()
	return j
}

func (j judgement) compare() change {
	s, v := j.subject, j.verdict
	had := s.owner
	if had == nil {
		had = s.gone
	}
	switch {
	case v.state == linked && had == nil:
		return gained
	case v.state == linked && *had == v.owner.id:
		return confirmed
	case v.state == linked:
		return moved
	case v.state == s.state && j.document.says(s.stored):
		return none
	case v.state == disputed && s.state == disputed && j.document.sameCandidates(s.stored):
		return explained
	case v.state == disputed:
		return contested
	case had != nil:
		return lost
	case s.state == disputed:
		return withdrawn
	}
	return explained
}

// CorrelationCounts counts what a run does, or would do.
type CorrelationCounts struct {
	LookedAt      int64 `json:"looked_at" doc:"Accounts that had no owner, or whose keys or rules had changed."`
	Unchanged     int64 `json:"unchanged" doc:"Of these, the number that did not change."`
	Gains         int64 `json:"gains" doc:"Accounts that get an owner."`
	ChangedOwners int64 `json:"changed_owners" doc:"Accounts that get another owner."`
	Losses        int64 `json:"losses" doc:"Accounts that lose their owner."`
	Disputed      int64 `json:"disputed" doc:"Accounts about which people have to decide now, for the first time or between others than before."`
	Withdrawn     int64 `json:"withdrawn" doc:"Accounts with a decision to make for which no candidate is left."`
}

func (t *CorrelationCounts) add(list []judgement) {
	t.LookedAt += int64(len(list))
	for _, j := range list {
		switch j.change {
		case gained:
			t.Gains++
		case moved:
			t.ChangedOwners++
		case lost:
			t.Losses++
		case contested:
			t.Disputed++
		case withdrawn:
			t.Withdrawn++
		default:
			t.Unchanged++
		}
	}
}

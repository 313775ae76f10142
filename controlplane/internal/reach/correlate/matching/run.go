package matching

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching/field"
)

// Run looks for the owners of accounts at the end of a connector's run: in the whole tenant for accounts without one,
// because a person may have arrived through another connector, and for those of this connector whose keys have changed.
// It returns how many accounts it gave an owner. A run that finds everything as it was writes nothing.
func Run(ctx context.Context, tx *pg.Tx, connector string) (linked int64, err error) {
	return correlate(ctx, tx, Scope{linkedOf: connector})
}

// RunChanges is Run after a reading of changes: of the accounts that have an owner it looks at those that this run
// changed.
func RunChanges(ctx context.Context, tx *pg.Tx, connector, run string) (linked int64, err error) {
	return correlate(ctx, tx, Scope{linkedOf: connector, changedBy: run})
}

func correlate(ctx context.Context, tx *pg.Tx, sc Scope) (linked int64, err error) {
	var t CorrelationCounts
	err = Judge(ctx, tx, sc, func(p *Plan, list []Judgement) error {
		t.Add(list)
		return p.Store(ctx, tx, Changed(list))
	})
	return t.Gains + t.ChangedOwners, err
}

// Judge judges the accounts of a scope, batch by batch. One run at a time works in a tenant, so that two do not wait
// for each other's rows crosswise.
func Judge(ctx context.Context, tx *pg.Tx, sc Scope, fn func(*Plan, []Judgement) error) error {
	const lock = `select pg_advisory_xact_lock(hashtextextended('correlate ' || current_tenant()::text, 0))`
	if err := pg.Exec(ctx, tx, "wait for another correlation", lock); err != nil {
		return err
	}
	list, err := shares(ctx, tx, sc)
	if err != nil {
		return err
	}
	for _, sh := range list {
		for after := (ID{}); ; {
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
			if err := fn(sh.Plan, judged); err != nil {
				return err
			}
			if after = subjects[len(subjects)-1].ID; len(subjects) < batch {
				break
			}
		}
	}
	return nil
}

// Change is what a verdict does to an account.
type Change int

const (
	none      Change = iota // nothing, and nothing is written
	confirmed               // the owner stays; why is written anew
	Gained                  // it has an owner now
	Moved                   // it has another owner
	Lost                    // it has none any more
	Contested               // people have to decide
	withdrawn               // people had to decide, and need not any more: no candidate is left
	explained               // it stands as before, for another reason
)

// Judgement is what a plan makes of an account, and what that changes.
type Judgement struct {
	Subject  *subject
	Verdict  verdict
	Document document
	Change   Change
}

// Changed are the judgements that change something.
func Changed(list []Judgement) []Judgement {
	return slices.DeleteFunc(slices.Clone(list), func(j Judgement) bool { return j.Change == none })
}

// judge decides about a batch of accounts.
func (p *Plan) judge(ctx context.Context, tx *pg.Tx, subjects []subject) ([]Judgement, error) {
	pairs, err := p.pair(subjects, func(visit func(ID, []field.Values)) error { return p.people(ctx, tx, visit) })
	if err != nil {
		return nil, err
	}
	list := make([]Judgement, len(subjects))
	for i := range subjects {
		list[i] = p.judgeOne(&subjects[i], pairs.found(i), pairs.owner(i))
	}
	return list, nil
}

func (p *Plan) judgeOne(s *subject, people []*person, owner *person) Judgement {
	candidates := make([]candidate, len(people))
	for i, who := range people {
		candidates[i] = p.weigh(s, who)
	}
	j := Judgement{Subject: s, Verdict: p.decide(s, candidates, owner)}
	if j.Verdict.state == Uncorrelated && s.state == Uncorrelated && (j.Verdict.why == nobody || s.decidedByUser()) {
		return j // as it was: no candidate is found, and what a person said about it stays
	}
	j.Document = p.document(s, j.Verdict)
	j.Change = j.compare()
	return j
}

func (j Judgement) compare() Change {
	s, v := j.Subject, j.Verdict
	had := s.Owner
	if had == nil {
		had = s.Gone
	}
	switch {
	case v.state == linked && had == nil:
		return Gained
	case v.state == linked && *had == v.Owner.ID:
		return confirmed
	case v.state == linked:
		return Moved
	case v.state == s.state && j.Document.says(s.stored):
		return none
	case v.state == Disputed && s.state == Disputed && j.Document.sameCandidates(s.stored):
		return explained
	case v.state == Disputed:
		return Contested
	case had != nil:
		return Lost
	case s.state == Disputed:
		return withdrawn
	}
	return explained
}

// CorrelationCounts counts what a run does, or would do.
type CorrelationCounts struct {
	// Accounts that had no owner, or whose keys or rules had changed.
	LookedAt int64 `json:"looked_at"`
	// Of these, the number that did not change.
	Unchanged int64 `json:"unchanged"`
	// Accounts that get an owner.
	Gains int64 `json:"gains"`
	// Accounts that get another owner.
	ChangedOwners int64 `json:"changed_owners"`
	// Accounts that lose their owner.
	Losses int64 `json:"losses"`
	// Accounts about which people have to decide now, for the first time or between others than before.
	Disputed int64 `json:"disputed"`
	// Accounts with a decision to make for which no candidate is left.
	Withdrawn int64 `json:"withdrawn"`
}

// Add counts judgements.
func (t *CorrelationCounts) Add(list []Judgement) {
	t.LookedAt += int64(len(list))
	for _, j := range list {
		switch j.Change {
		case Gained:
			t.Gains++
		case Moved:
			t.ChangedOwners++
		case Lost:
			t.Losses++
		case Contested:
			t.Disputed++
		case withdrawn:
			t.Withdrawn++
		default:
			t.Unchanged++
		}
	}
}

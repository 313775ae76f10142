package matching

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/match"
)

// How an account stands to an owner, as far as rules decide it.
const (
	linked       = "linked"
	Uncorrelated = "uncorrelated"
	Disputed     = "disputed"
)

// Why an account stands as it does.
const (
	because       = "matched"          // one candidate is far enough ahead
	sourceSays    = "source_says"      // the source itself names the owner
	kept          = "kept"             // the keys changed, and name no other person clearly
	ambiguous     = "ambiguous"        // several candidates are within the margin
	proposed      = "proposed"         // the best candidate is below auto_link
	fuzzyOnly     = "privileged_fuzzy" // a privileged account, and likeness is all there is
	tooLittle     = "below_propose"    // candidates, none of them good enough
	forbidden     = "vetoed"           // candidates, all of them forbidden
	nobody        = "no_candidate"
	ownerArchived = "owner_archived"
)

// verdict is what the rules make of an account.
type verdict struct {
	state      string
	Owner      *person
	why        string
	score      float64
	candidates []candidate // the owner or best one first, then its rivals; forbidden ones if there is no other
}

// maxCandidates is how many candidates are kept with an account.
const maxCandidates = 25

// decide moves an account by what speaks for each candidate. owner is who has it now, if anybody: a candidate or not.
func (p *Plan) decide(s *subject, candidates []candidate, owner *person) verdict {
	v := p.fresh(s, candidates)
	// Changed keys that say nothing clear do not take an account from its owner: a person is renamed in one system
	// before the other. Changed rules do, and so does a veto.
	if owner == nil || !s.sameRules || v.state == linked {
		return v
	}
	c := p.weigh(s, owner)
	if c.forbidden() {
		return v
	}
	return verdict{state: linked, Owner: owner, why: kept, score: c.score, candidates: []candidate{c}}
}

// fresh decides without regard to who has the account now.
func (p *Plan) fresh(s *subject, all []candidate) verdict {
	var live, barred []candidate
	for _, c := range all {
		switch {
		case c.forbidden():
			barred = append(barred, c)
		case c.score > 0:
			live = append(live, c)
		}
	}
	slices.SortFunc(live, byScore)
	slices.SortFunc(barred, byScore)
	switch {
	case len(live) == 0 && len(barred) == 0:
		return verdict{state: Uncorrelated, why: nobody}
	case len(live) == 0:
		return verdict{state: Uncorrelated, why: forbidden, candidates: first(barred)}
	}
	best := live[0]
	v := verdict{state: Disputed, score: best.score, candidates: first(rivals(live))}
	switch {
	case best.score < p.Propose:
		v.state, v.why = Uncorrelated, tooLittle
	case len(v.candidates) > 1:
		v.why = ambiguous
	case best.score < p.AutoLink:
		v.why = proposed
	case s.privileged && best.firm < p.AutoLink:
		v.why = fuzzyOnly
	default:
		v.state, v.Owner, v.why = linked, best.person, because
		if best.said {
			v.why = sourceSays
		}
	}
	return v
}

// rivals are the best candidate and those too near to it. Whom the source itself names has no rival but another such.
func rivals(live []candidate) []candidate {
	n := 1
	for n < len(live) && live[n].said == live[0].said && live[0].score-live[n].score <= margin+match.Tolerance {
		n++
	}
	return live[:n]
}

func first(c []candidate) []candidate { return c[:min(len(c), maxCandidates)] }

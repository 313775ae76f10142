package answer

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exemption"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/storedquery"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// Question is a stored query with what its answer depends on.
type Question struct {
	Query   storedquery.Query
	Version int           // of the control; 0: none
	Cadence time.Duration // interval of the evidence: older data does not count
}

// evaluation is a question with the data that answers it.
type evaluation struct {
	Question
	now        time.Time
	condition  condition.Condition
	names      []string // fields that the condition names
	subjects   map[string][]*subject
	verdicts   map[*subject]verdict
	connectors map[string]connector
	policies   map[string]policy
	scan       lastScan
	shared     []Problem // problems of all targets
}

// verdict is what the condition says of one subject.
type verdict struct {
	met     bool
	unknown []string // why it could not be decided; empty: it was decided
}

// Evaluate answers a question for targets. The results are in the order of the targets.
func Evaluate(ctx context.Context, tx *pg.Tx, q Question, targets []Target, now time.Time) ([]Result, error) {
	e := &evaluation{Question: q, now: now}
	if e.parse(targets) {
		if err := e.load(ctx, tx, targets); err != nil {
			return nil, err
		}
	}
	results := make([]Result, len(targets))
	for i, t := range targets {
		results[i] = e.answer(t)
	}
	return results, nil
}

// parse reads the condition, and reports whether it can be asked. It was valid when it was stored.
func (e *evaluation) parse(targets []Target) bool {
	c, problems := e.Query.Parse()
	if len(problems) > 0 {
		e.shared = append(e.shared, problem("invalid_query", "The condition is not valid any more: %s.",
			problems[0].Detail))
		return false
	}
	e.condition = c
	e.names, _ = c.Fields()
	return len(targets) > 0
}

// load reads all data.
func (e *evaluation) load(ctx context.Context, tx *pg.Tx, targets []Target) (err error) {
	if e.shared, err = unknownReferences(ctx, tx, e.condition.Needs()); err != nil {
		return err
	}
	more := false
	if e.subjects, more, err = readSubjects(ctx, tx, e.Query, targets); err != nil {
		return err
	}
	if more {
		e.shared = append(e.shared, problem("too_many_subjects", "There are more than %d %s to look at.", mostSubjects,
			kinds[e.Query.About].many))
	}
	if err := e.loadPolicies(ctx, tx, targets); err != nil {
		return err
	}
	ids := e.allConnectors()
	if e.connectors, err = readConnectors(ctx, tx, ids); err != nil {
		return err
	}
	if err := e.hideUnknown(ctx, tx, ids); err != nil {
		return err
	}
	return e.decide(ctx, tx)
}

// loadPolicies reads what a query about violations depends on beside the violations.
func (e *evaluation) loadPolicies(ctx context.Context, tx *pg.Tx, targets []Target) (err error) {
	if e.Query.About != storedquery.Violations {
		return nil
	}
	ids := map[string]bool{}
	for _, t := range targets {
		ids[t.PolicyID] = true
	}
	if e.policies, err = readPolicies(ctx, tx, slices.Sorted(maps.Keys(ids)), e.now); err != nil {
		return err
	}
	e.scan, err = readScan(ctx, tx)
	return err
}

// allConnectors are the IDs of all systems that answers depend on.
func (e *evaluation) allConnectors() []string {
	ids := map[string]bool{}
	put := func(more []string) {
		for _, id := range more {
			ids[id] = true
		}
	}
	put(e.Query.ConnectorIDs)
	for _, list := range e.subjects {
		for _, s := range list {
			put(s.Connectors)
		}
	}
	for _, p := range e.policies {
		put(p.Connectors)
	}
	return slices.Sorted(maps.Keys(ids))
}

// hideUnknown removes members that the source of a subject does not report, so that the condition cannot take them for
// empty.
func (e *evaluation) hideUnknown(ctx context.Context, tx *pg.Tx, connectors []string) error {
	known, err := readReported(ctx, tx, e.names, connectors)
	if err != nil {
		return err
	}
	of := kinds[e.Query.About].kind
	for _, list := range e.subjects {
		for _, s := range list {
			for name, value := range s.Members {
				if value == nil && !mayBeNull[name] && !known[of+"."+name][s.Connectors[0]] {
					delete(s.Members, name)
				}
			}
		}
	}
	return nil
}

// decide asks the condition about each subject.
func (e *evaluation) decide(ctx context.Context, tx *pg.Tx) error {
	e.verdicts = map[*subject]verdict{}
	of := map[string][]*subject{}
	for _, list := range e.subjects {
		for _, s := range list {
			of[s.IdentityID] = append(of[s.IdentityID], s)
		}
	}
	ids := slices.Sorted(maps.Keys(of))
	return exemption.EachPerson(ctx, tx, ids, e.condition.Needs(), e.now, func(id string, p *fact.Person) error {
		own := p.Identity
		for _, s := range of[id] {
			p.Identity = maps.Clone(own)
			p.Identity[kinds[e.Query.About].kind] = s.Members
			e.verdicts[s] = decideOne(e.condition, e.names, p)
		}
		return nil
	})
}

// decideOne asks the condition about one subject. Each field that it names must be known, also where another rule would
// decide alone: an answer must not depend on the order of the rules.
func decideOne(c condition.Condition, names []string, p *fact.Person) verdict {
	met, warnings := c.Match(p)
	v := verdict{met: met}
	for _, name := range names {
		of, key, nested := strings.Cut(name, ".")
		if !nested {
			continue
		}
		members, _ := p.Identity[of].(map[string]any)
		if _, there := members[key]; !there {
			v.unknown = append(v.unknown, name)
		}
	}
	if len(v.unknown) == 0 && len(warnings) > 0 {
		v.unknown = append(v.unknown, warnings[0].Detail)
	}
	return v
}

// answer is the result for one target.
func (e *evaluation) answer(t Target) Result {
	r := Result{AskedAt: e.now.UTC(), Query: e.Query, ControlVersion: e.Version, Sentence: e.condition.Sentence(),
		Examples: []Example{}, Sources: []Source{}, Problems: slices.Clone(e.shared)}
	connectors := map[string]bool{}
	for _, id := range e.Query.ConnectorIDs {
		connectors[id] = true
	}
	unknown := map[string]int{}
	for _, s := range e.subjects[t.key(e.Query.About)] {
		if e.Query.About == storedquery.Violations && s.IdentityID == t.IdentityID &&
			(t.Sides == "" || t.Sides == s.Sides) {
			continue // the mitigated violation itself
		}
		r.LookedAt++
		r.count(e.verdicts[s], s, unknown)
		if e.Query.About != storedquery.Violations || len(e.names) > 0 {
			for _, id := range s.Connectors {
				connectors[id] = true
			}
		}
	}
	if e.Query.About == storedquery.Violations {
		p, known := e.policies[t.PolicyID]
		for _, id := range p.Connectors {
			connectors[id] = true
		}
		r.LookedAt = e.scan.People
		r.Problems = append(r.Problems, judgePolicy(p, known, e.scan, e.Cadence, e.now)...)
	}
	var untrusted []Problem
	r.Sources, untrusted = judgeSources(slices.Sorted(maps.Keys(connectors)), e.connectors, e.Cadence, e.now)
	r.Problems = append(r.Problems, untrusted...)
	if r.LookedAt == 0 && len(r.Problems) == 0 {
		r.Problems = append(r.Problems, nothing(e.Query))
	}
	r.Outcome = e.Query.Judge(r.Found, r.Unknown, len(r.Problems) > 0)
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		r.Problems = append(r.Problems, problem("unknown_field", "%s is not known for %d of %d %s.", name,
			unknown[name], r.LookedAt, kinds[e.Query.About].many))
	}
	if r.Problems == nil {
		r.Problems = []Problem{}
	}
	return r
}

// count adds what the condition says of a subject.
func (r *Result) count(v verdict, s *subject, unknown map[string]int) {
	switch {
	case len(v.unknown) > 0:
		r.Unknown++
		for _, name := range v.unknown {
			unknown[name]++
		}
	case v.met:
		r.Found++
		if len(r.Examples) < MostExamples {
			r.Examples = append(r.Examples, Example{Type: kinds[r.Query.About].kind, ID: s.ID, Display: s.Display,
				Identity: identity.Reference{ID: s.IdentityID, Display: s.Person}})
		}
	}
}

// nothing says that a query has nothing to look at: what is not there shows nothing.
func nothing(q storedquery.Query) Problem {
	return problem("no_subjects", "%s", map[string]string{
		storedquery.Person:     "The person does not exist any more.",
		storedquery.Manager:    "The person has no manager.",
		storedquery.Accounts:   "The person has no account in the systems that the query names.",
		storedquery.Grants:     "The violation consists of no grant at present.",
		storedquery.Violations: "The last complete scan looked at no people.",
	}[q.About])
}

package matching

import (
	"bytes"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/match"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching/field"
)

// Plan is settings made ready: rules that point into the lists of fields that accounts and people are loaded with.
type Plan struct {
	Settings
	rules       []rule
	account     []field.Field
	person      []field.Field
	rulesDigest int64
}

type rule struct {
	*CorrelationRule
	conditions []condition
}

type condition struct {
	source, identity int
	match            match.Match
}

// fuzzy reports whether a rule needs likeness alone in any of its conditions.
func (r rule) fuzzy() bool {
	return slices.ContainsFunc(r.conditions, func(c condition) bool { return c.match.Fuzzy() })
}

// ID is a UUID.
type ID = [16]byte

// person is a person who may own accounts.
type person struct {
	ID     ID
	values []field.Values
}

// subject is an account that is looked at.
type subject struct {
	ID, connector ID
	version       int
	state         string
	Owner         *ID // who has it now; none whose identity is archived
	Gone          *ID // an owner who was archived
	privileged    bool
	rejected      []ID
	said          *ID    // whose record of the same source the account names
	stored        []byte // what is stored about an account without owner
	keys          int64
	sameRules     bool // the rules are those that linked it
	values        []field.Values
}

// What became of a rule for a pair.
const (
	matched    = "matched"
	implied    = "implied"
	notMatched = "not_matched"
	noValue    = "no_value"
	vetoed     = "vetoed"
	passed     = "passed"
)

// compared are the values of a condition, in the form in which they were compared.
type compared struct {
	account, person string
	holds           bool
}

// result is what a rule says about a pair.
type result struct {
	outcome  string
	compared []compared
}

// candidate is a person held against an account by every rule.
type candidate struct {
	person   *person
	said     bool // by the source itself
	rejected bool // by a user who took the account from this person
	vetoed   bool
	score    float64 // of all rules
	firm     float64 // of those that are not fuzzy
	results  []result
}

// forbidden candidates cannot be owners.
func (c *candidate) forbidden() bool { return c.rejected || (c.vetoed && !c.said) }

// weigh holds a person against an account.
func (p *Plan) weigh(s *subject, who *person) candidate {
	c := candidate{person: who, said: s.said != nil && *s.said == who.ID, rejected: slices.Contains(s.rejected, who.ID)}
	c.results = make([]result, len(p.rules))
	for i, r := range p.rules {
		c.results[i] = r.try(s, who)
		c.vetoed = c.vetoed || c.results[i].outcome == vetoed
	}
	p.onceEach(c.results)
	all, firm := 1.0, 1.0
	for i, r := range p.rules {
		if c.results[i].outcome != matched {
			continue
		}
		all *= 1 - r.Weight
		if !r.fuzzy() {
			firm *= 1 - r.Weight
		}
	}
	c.score, c.firm = match.Round(1-all), match.Round(1-firm)
	if c.said {
		c.score, c.firm = 1, 1
	}
	return c
}

// try holds a pair against one rule.
func (r rule) try(s *subject, who *person) result {
	out := result{outcome: matched, compared: make([]compared, len(r.conditions))}
	missing := false
	for i, c := range r.conditions {
		out.compared[i] = c.compare(s.values[c.source], who.values[c.identity])
		if !out.compared[i].holds {
			out.outcome = notMatched
		}
		missing = missing || out.compared[i].account == "" || out.compared[i].person == ""
	}
	switch {
	case missing:
		out.outcome = noValue
	case r.Veto && out.outcome == matched:
		out.outcome = passed
	case r.Veto:
		out.outcome = vetoed
	}
	return out
}

// compare looks for two values that agree, and else returns the first of each.
func (c condition) compare(account, person field.Values) (out compared) {
	for _, a := range account {
		if a = c.match.Normal(a); a == "" {
			continue
		}
		if out.account == "" {
			out.account = a
		}
		for _, b := range person {
			if b = c.match.Normal(b); b == "" {
				continue
			}
			if out.person == "" {
				out.person = b
			}
			if c.match.Agree(a, b) {
				return compared{a, b, true}
			}
		}
	}
	if out.person == "" {
		for _, b := range person {
			if out.person = c.match.Normal(b); out.person != "" {
				break
			}
		}
	}
	return out
}

// onceEach finds rules that hold because of the same facts as another one, which therefore say nothing more: of two
// such rules the heavier one counts. A fact is a field of the identity with the account's value: an e-mail address that
// the account has twice, as address and as user name, is one fact, and so is a name that is both equal and alike.
func (p *Plan) onceEach(results []result) {
	for i := range p.rules {
		for k := range p.rules {
			if i == k || results[i].outcome != matched || results[k].outcome != matched || !p.covers(k, i, results) {
				continue
			}
			if p.rules[k].Weight > p.rules[i].Weight ||
				(p.rules[k].Weight == p.rules[i].Weight && (k < i || !p.covers(i, k, results))) {
				results[i].outcome = implied
			} else {
				results[k].outcome = implied
			}
		}
	}
}

// covers reports whether every fact of rule b is one of rule a as well.
func (p *Plan) covers(a, b int, results []result) bool {
	for j, cb := range p.rules[b].conditions {
		found := false
		for i, ca := range p.rules[a].conditions {
			found = found ||
				(ca.identity == cb.identity &&
					match.Letters(results[a].compared[i].account) == match.Letters(results[b].compared[j].account)) ||
				(ca.identity == cb.identity && ca.source == cb.source)
		}
		if !found {
			return false
		}
	}
	return true
}

// byScore puts the best first; equal ones come in the order of their ids, so that the order is the same every time.
func byScore(a, b candidate) int {
	switch {
	case a.said != b.said:
		if a.said {
			return -1
		}
		return 1
	case a.score != b.score:
		if a.score > b.score {
			return -1
		}
		return 1
	}
	return bytes.Compare(a.person.ID[:], b.person.ID[:])
}

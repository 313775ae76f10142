package correlate

import "strings"

// Candidates are found without comparing everybody with everybody: the accounts' values are put into an index for each
// rule, and people are looked up in it as they stream by.

// maxShared is how many people a value may belong to before it names nobody: a department is no key.
const maxShared = 25

// entry is one value of accounts and the people who have it, or one like it.
type entry struct {
	subjects []int32
	people   []int32
	common   bool
}

func (e *entry) meet(who int32) {
	switch n := len(e.people); {
	case e.common, n > 0 && e.people[n-1] == who:
	case n == maxShared:
		e.common, e.people = true, nil
	default:
		e.people = append(e.people, who)
	}
}

// blocker is an index of accounts by what one rule compares.
type blocker interface {
	add(value string, subject int32)
	seal()
	find(value string, visit func(*entry))
	each(visit func(*entry))
}

// lookup is a rule with its index. keys are the conditions that make the value to look up.
type lookup struct {
	keys  []condition
	index blocker
}

// lookups make the indexes of a plan. A veto finds nobody.
func (p *plan) lookups() (list []lookup) {
	for _, r := range p.rules {
		if r.Veto {
			continue
		}
		var keys []condition
		for _, c := range r.conditions {
			if c.match.equality() {
				keys = append(keys, c)
			}
		}
		switch {
		case len(keys) > 0:
			list = append(list, lookup{keys, &sameValue{at: map[string]*entry{}}})
		case r.conditions[0].match.kind == trigram:
			list = append(list, lookup{r.conditions[:1], newTrigramIndex(r.conditions[0].match.least)})
		default:
			list = append(list, lookup{r.conditions[:1], newDistanceIndex(r.conditions[0].match.n)})
		}
	}
	return list
}

// ofAccount and ofPerson are the values of a lookup's keys, joined; several when a key has several.
func (l lookup) ofAccount(v []values) []string {
	return joined(l.keys, func(c condition) values { return v[c.source] })
}

func (l lookup) ofPerson(v []values) []string {
	return joined(l.keys, func(c condition) values { return v[c.identity] })
}

func joined(keys []condition, of func(condition) values) (list []string) {
	for i, c := range keys {
		var forms []string
		for _, v := range of(c) {
			if v = c.match.normal(v); v != "" {
				forms = append(forms, v)
			}
		}
		switch {
		case len(forms) == 0:
			return nil
		case i == 0:
			list = forms
		default:
			list = crossed(list, forms)
		}
	}
	return list
}

func crossed(heads, tails []string) []string {
	list := make([]string, 0, len(heads)*len(tails))
	for _, h := range heads {
		for _, t := range tails {
			list = append(list, strings.Join([]string{h, t}, "\x1f"))
		}
	}
	return list[:min(len(list), maxValues*maxValues)]
}

// sameValue finds equal values.
type sameValue struct{ at map[string]*entry }

func (x *sameValue) add(value string, subject int32) {
	entryOf(x.at, value).subjects = append(entryOf(x.at, value).subjects, subject)
}
func (x *sameValue) seal() {}

func (x *sameValue) find(value string, visit func(*entry)) {
	if e := x.at[value]; e != nil {
		visit(e)
	}
}

func (x *sameValue) each(visit func(*entry)) {
	for _, e := range x.at {
		visit(e)
	}
}

func entryOf(at map[string]*entry, value string) *entry {
	e := at[value]
	if e == nil {
		e = &entry{}
		at[value] = e
	}
	return e
}

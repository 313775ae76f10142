package matching

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/block"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/match"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching/field"
)

// lookup is a rule with its index. keys are the conditions that make the value to look up.
type lookup struct {
	keys  []condition
	index block.Index
}

// lookups make the indexes of a plan. A veto finds no one.
func (p *Plan) lookups() (list []lookup) {
	for _, r := range p.rules {
		if r.Veto {
			continue
		}
		var keys []condition
		for _, c := range r.conditions {
			if c.match.Equality() {
				keys = append(keys, c)
			}
		}
		switch {
		case len(keys) > 0:
			list = append(list, lookup{keys, &block.Values{At: map[string]*block.Entry{}}})
		case r.conditions[0].match.Kind == match.Trigram:
			list = append(list, lookup{r.conditions[:1], block.NewTrigramIndex(r.conditions[0].match.Least)})
		default:
			list = append(list, lookup{r.conditions[:1], block.NewDistanceIndex(r.conditions[0].match.N)})
		}
	}
	return list
}

// ofAccount and ofPerson are the values of a lookup's keys, joined; several when a key has several.
func (l lookup) ofAccount(v []field.Values) []string {
	return joined(l.keys, func(c condition) field.Values { return v[c.source] })
}

func (l lookup) ofPerson(v []field.Values) []string {
	return joined(l.keys, func(c condition) field.Values { return v[c.identity] })
}

func joined(keys []condition, of func(condition) field.Values) (list []string) {
	for i, c := range keys {
		var forms []string
		for _, v := range of(c) {
			if v = c.match.Normal(v); v != "" {
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
	return list[:min(len(list), field.MaxValues*field.MaxValues)]
}

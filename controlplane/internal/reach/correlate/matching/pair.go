package matching

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/block"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching/field"
)

// pairs are the candidates of each account, and its owner where it has one.
type pairs struct {
	people []person
	lists  [][]int32
	owners map[int32]int32 // person by account
}

func (p *pairs) found(subject int) []*person {
	list := make([]*person, len(p.lists[subject]))
	for i, at := range p.lists[subject] {
		list[i] = &p.people[at]
	}
	return list
}

func (p *pairs) owner(subject int) *person {
	at, has := p.owners[int32(subject)]
	if !has {
		return nil
	}
	return &p.people[at]
}

// known are the accounts that know a person by id: as who the source says they belong to, or as their owner.
type known struct{ said, owned []int32 }

// pair streams people past the accounts' indexes and keeps those who have something in common with one.
func (p *Plan) pair(subjects []subject, stream func(func(ID, []field.Values)) error) (*pairs, error) {
	lookups := p.lookups()
	named := map[ID]*known{}
	for i := range subjects {
		for k := range lookups {
			for _, v := range lookups[k].ofAccount(subjects[i].values) {
				lookups[k].index.Add(v, int32(i))
			}
		}
		if who := subjects[i].said; who != nil {
			knownBy(named, *who).said = append(knownBy(named, *who).said, int32(i))
		}
		if who := subjects[i].Owner; who != nil {
			knownBy(named, *who).owned = append(knownBy(named, *who).owned, int32(i))
		}
	}
	for k := range lookups {
		lookups[k].index.Seal()
	}
	out := &pairs{lists: make([][]int32, len(subjects)), owners: map[int32]int32{}}
	err := stream(func(who ID, v []field.Values) { out.meet(who, v, lookups, named[who]) })
	for k := range lookups {
		lookups[k].index.Each(out.join)
	}
	for i := range out.lists {
		slices.Sort(out.lists[i])
		out.lists[i] = slices.Compact(out.lists[i])
	}
	return out, err
}

func knownBy(named map[ID]*known, who ID) *known {
	k := named[who]
	if k == nil {
		k = &known{}
		named[who] = k
	}
	return k
}

// meet looks a person up. A person who meets no one is forgotten.
func (p *pairs) meet(who ID, v []field.Values, lookups []lookup, named *known) {
	at := int32(len(p.people))
	met := named != nil
	if met {
		for _, i := range named.said {
			p.lists[i] = append(p.lists[i], at)
		}
		for _, i := range named.owned {
			p.owners[i] = at
		}
	}
	for _, l := range lookups {
		for _, value := range l.ofPerson(v) {
			l.index.Find(value, func(e *block.Entry) {
				e.Meet(at)
				met = true
			})
		}
	}
	if met {
		p.people = append(p.people, person{who, v})
	}
}

func (p *pairs) join(e *block.Entry) {
	for _, i := range e.Subjects {
		p.lists[i] = append(p.lists[i], e.People...)
	}
}

package ldap

import (
	"slices"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// sweepIDs is how many entries one page of a sweep names. People are named twice, as identities and as accounts.
const sweepIDs = v1.MaxPresent / 2

// settled runs what is left to do between the pages of a search for o.
func (r *run) settled(o objects) func() error {
	entries := 0
	return func() error {
		r.stats.Pages++
		entries += r.pageSize
		r.sign(o.phase, entries)
		return r.settle()
	}
}

// sweep reads the keys of all entries and nothing else, so that what has gone is found where the directory does not tell. What is
// proven already is left out.
func (r *run) sweep() error {
	for _, o := range r.all() {
		if len(o.kinds) == 0 || slices.ContainsFunc(r.proven, func(s v1.Scope) bool { return s.Kind == o.kinds[0] }) {
			continue
		}
		r.tell(o.phase, "looking which "+o.what+" are still there")
		if err := r.sweepOver(o); err != nil {
			return err
		}
		r.proven = append(r.proven, r.starScopes(o.kinds...)...)
	}
	return nil
}

func (r *run) sweepOver(o objects) error {
	p := presence{run: r, objects: o}
	out, err := r.readAll(r.ctx, o.phase, r.search(o, o.whole(), []string{r.idAttribute}), p.entry, r.settled(o))
	if err != nil {
		return err
	}
	if err := p.flush(); err != nil {
		return err
	}
	for _, k := range o.kinds {
		r.counts[k] = p.named
	}
	r.endedSweep(o, out)
	if out.entries == 0 {
		return r.proveEmpty(o)
	}
	return nil
}

// endedSweep notes how a sweep went. It proves nothing about members.
func (r *run) endedSweep(o objects, out outcome) {
	if out.unpaged {
		r.doubt(o.kinds...)
		r.warnings.add("paging_unsupported", "", "the directory did not answer the search for the keys of "+o.what+" in pages, so nothing is taken for removed")
	}
}

// presence names entries that are still there.
type presence struct {
	*run
	objects
	ids   []string // not yet handed on
	named int
}

func (p *presence) entry(e *wire.Entry) error {
	id := p.keyOf(e)
	if id == "" {
		p.skip(e, p.kinds...)
		return nil
	}
	return p.name(id)
}

// keyOf is an entry's key; empty where it has none.
func (r *run) keyOf(e *wire.Entry) string {
	for i := range e.Attributes {
		a := r.dict.lookup(e.Attributes[i].Name)
		if a.id && len(e.Attributes[i].Values) == 1 {
			return keyText(r.flavor.name, a.format, e.Attributes[i].Values[0])
		}
	}
	return ""
}

func (p *presence) name(id string) error {
	p.named++
	p.ids = append(p.ids, id)
	if len(p.ids) >= sweepIDs {
		return p.flush()
	}
	return nil
}

func (p *presence) flush() error {
	if len(p.ids) == 0 {
		return nil
	}
	out := p.newPage()
	for _, k := range p.kinds {
		out.Page.Present = append(out.Page.Present, v1.Present{Kind: k, ExternalIDs: p.ids})
	}
	p.ids = nil
	return p.send(out)
}

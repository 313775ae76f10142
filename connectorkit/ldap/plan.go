package ldap

import (
	"fmt"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
)

// Bounds of dividing a read.
const (
	maxChildren   = 256    // a place with more entries directly below it is not divided
	maxPartitions = 32     // of one phase, without the rest
	maxDepth      = 3      // levels below the base that are looked at
	usnSpan       = 50_000 // Active Directory: update sequence numbers in a partition, at least
)

// partition is a part of a phase that is read by a search of its own. The partitions of a phase cover it whatever the login
// may see of the places in between.
type partition struct {
	key    string // what it is known by in a checkpoint
	base   string
	filter string
	part   bool // of a tree, so that its base may be gone by the time it is read
}

func (r *run) search(o objects, p partition, attributes []string) wire.Request {
	return wire.Request{Base: p.base, Scope: r.scope, Filter: p.filter, Attributes: attributes, TimeLimit: r.timeLimit}
}

// whole is all of o in one search.
func (o objects) whole() partition { return partition{key: "*", base: o.base, filter: o.filter} }

// plan divides the reading of o where that costs next to nothing: Active Directory by the numbers it gives to new objects,
// which it keeps indexed, others by place. A directory that cannot be divided is read in one piece.
func (r *run) plan(o objects) ([]partition, error) {
	if r.flavor.activeDir {
		return r.planByNumber(o)
	}
	if r.scope == goldap.ScopeSingleLevel || o.base == "" {
		return []partition{o.whole()}, nil
	}
	return r.planByPlace(o)
}

// planByNumber cuts at values of uSNCreated. It is asked first whether that can be seen at all: what a login cannot read
// matches no filter.
func (r *run) planByNumber(o objects) ([]partition, error) {
	parts := min(r.at.Top/usnSpan, maxPartitions)
	if parts < 2 {
		return []partition{o.whole()}, nil
	}
	shown := false
	seen, _, err := r.first(r.search(o, o.whole(), []string{"uSNCreated"}), 1, func(e *wire.Entry) { shown = len(valueOf(e, "uSNCreated")) > 0 })
	if err != nil || seen == 0 || !shown {
		return []partition{o.whole()}, r.lost(err)
	}
	var out []partition
	for i := range parts {
		from, to := r.at.Top*i/parts, r.at.Top*(i+1)/parts
		filter := fmt.Sprintf("(uSNCreated>=%d)(uSNCreated<=%d)", from+1, to)
		switch i {
		case 0:
			filter = fmt.Sprintf("(uSNCreated<=%d)", to)
		case parts - 1:
			filter = fmt.Sprintf("(uSNCreated>=%d)", from+1)
		}
		out = append(out, partition{key: filter, base: o.base, filter: "(&" + o.filter + filter + ")"})
	}
	return out, nil
}

// lost gives an error only where the connection did not survive it.
func (r *run) lost(err error) error {
	if err != nil && r.conn.Broken() {
		return r.searchError(r.ctx, "plan", err)
	}
	return nil
}

// planByPlace cuts at the places below the base that hold others. What lies in none of them is the last partition, so that
// nothing is missed: places hidden from the login, entries directly below the base, and what is moved meanwhile.
func (r *run) planByPlace(o objects) ([]partition, error) {
	places, known := r.cuts[o.base]
	if !known {
		var err error
		if places, err = r.findCuts(o.base); err != nil {
			return nil, err
		}
		r.cuts[o.base] = places
	}
	if len(places) == 0 {
		return []partition{o.whole()}, nil
	}
	var out []partition
	var not strings.Builder
	for _, dn := range places {
		out = append(out, partition{key: NormalizeDN(dn), base: dn, filter: o.filter, part: true})
		not.WriteString("(!" + below(dn) + ")")
	}
	return append(out, partition{key: "rest", base: o.base, filter: "(&" + o.filter + not.String() + ")"}), nil
}

// findCuts gives the places to cut at, none where that cannot be done.
func (r *run) findCuts(base string) ([]string, error) {
	places, err := r.places(base)
	if err != nil || len(places) == 0 {
		return nil, err
	}
	provable, err := r.tellsPlaces(base, places[0])
	if err != nil || !provable {
		return nil, err
	}
	return places, nil
}

// below matches what lies at or below a place (RFC 5020; dnSubtreeMatch of OpenLDAP).
func below(dn string) string { return "(entryDN:dnSubtreeMatch:=" + escapeFilter(dn) + ")" }

// tellsPlaces makes sure that the directory understands below: a filter it does not understand matches nothing, negated or not.
func (r *run) tellsPlaces(base, inside string) (bool, error) {
	for _, try := range []struct {
		base, filter string
		want         int
	}{
		{inside, below(inside), 1}, {inside, "(!" + below(inside) + ")", 0}, {base, "(!" + below(inside) + ")", 1},
	} {
		seen, _, err := r.first(wire.Request{Base: try.base, Scope: goldap.ScopeBaseObject, Filter: try.filter, Attributes: []string{"1.1"}}, 1, func(*wire.Entry) {})
		if err != nil || seen != try.want {
			return false, r.lost(err)
		}
	}
	return true, nil
}

// places finds what to cut at, going down while there are few.
func (r *run) places(base string) ([]string, error) {
	var out []string
	level := []string{base}
	for depth := range maxDepth {
		var next []string
		for i, dn := range level {
			inner, divisible, err := r.children(dn)
			if err != nil {
				return nil, err
			}
			left := len(level) - i - 1
			if !divisible || len(inner) == 0 || len(out)+len(next)+len(inner)+left > maxPartitions {
				if depth > 0 {
					out = append(out, dn)
				}
				continue
			}
			next = append(next, inner...)
		}
		level = next
	}
	return append(out, level...), nil
}

// children lists the entries directly below a place that have others below them, or may have. A place with very many entries
// is not divisible.
func (r *run) children(dn string) (inner []string, divisible bool, err error) {
	req := wire.Request{
		Base: dn, Scope: goldap.ScopeSingleLevel, Filter: "(objectClass=*)", Attributes: []string{"hasSubordinates"}, TimeLimit: r.timeLimit,
		PageSize: maxChildren,
	}
	seen := 0
	page, err := r.conn.Search(req, func(e *wire.Entry) error {
		seen++
		if seen <= maxChildren && !isLeaf(e) {
			inner = append(inner, string(e.DN))
		}
		return nil
	})
	if err != nil {
		return nil, false, r.lost(err)
	}
	return inner, page.Paged && len(page.Cookie) == 0 && seen <= maxChildren, nil
}

// isLeaf tells an entry that says it has none below it (X.501 hasSubordinates).
func isLeaf(e *wire.Entry) bool {
	return strings.EqualFold(string(valueOf(e, "hasSubordinates")), "false")
}

// valueOf is the first value of an attribute; nil where the entry does not show it.
func valueOf(e *wire.Entry, name string) []byte {
	for i := range e.Attributes {
		if a := &e.Attributes[i]; strings.EqualFold(string(a.Name), name) && len(a.Values) > 0 {
			return a.Values[0]
		}
	}
	return nil
}

// proveEmpty tells whether a search that found nothing may be believed: the login can read the entry it started from. A login
// that has lost its rights sees just this: success and nobody.
func (r *run) proveEmpty(o objects) error {
	seen, _, err := r.first(wire.Request{Base: o.base, Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)", Attributes: []string{"1.1"}}, 1, func(*wire.Entry) {})
	if err != nil && r.conn.Broken() {
		return r.searchError(r.ctx, o.phase, err)
	}
	what := fmt.Sprintf("the search for %s under %s ended with success and found none", o.what, o.base)
	if err == nil && seen == 1 {
		r.warnings.add("empty_result", "", what)
		return nil
	}
	r.doubt(r.kindsOf(o)...)
	r.warnings.add("empty_result", "", what+", but the login cannot read that place either, so nothing is taken for removed (rights or base DN?)")
	return nil
}

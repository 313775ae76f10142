package full

import (
	"fmt"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/read"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
)

// Bounds of dividing a read.
const (
	maxChildren   = 256    // a place with more entries directly below it is not divided
	maxPartitions = 32     // of one phase, without the rest
	maxDepth      = 3      // levels below the base that are looked at
	usnSpan       = 50_000 // Active Directory: update sequence numbers in a partition, at least
)

// partitions divides the reading of o where that costs next to nothing: Active Directory by the numbers it
// gives to new objects, which it keeps indexed, others by place. A directory that cannot be divided is read
// in one piece.
func (r *Reader) partitions(o read.Objects) ([]read.Partition, error) {
	if r.Flavor.ActiveDirectory {
		return r.partitionsByUSN(o)
	}
	if r.Scope == goldap.ScopeSingleLevel || o.Base == "" {
		return []read.Partition{o.Whole()}, nil
	}
	return r.partitionsByContainer(o)
}

// partitionsByUSN cuts at values of uSNCreated. It is asked first whether that can be seen at all: what a
// login cannot read matches no filter.
func (r *Reader) partitionsByUSN(o read.Objects) ([]read.Partition, error) {
	parts := min(r.Checkpoint.Top/usnSpan, maxPartitions)
	if parts < 2 {
		return []read.Partition{o.Whole()}, nil
	}
	shown := false
	seen, _, err := r.SearchFirst(r.SearchRequest(o, o.Whole(), []string{"uSNCreated"}), 1, func(e *wire.Entry) {
		shown = len(wire.FirstValue(e, "uSNCreated")) > 0
	})
	if err != nil || seen == 0 || !shown {
		return []read.Partition{o.Whole()}, r.ErrIfBroken(r.Ctx, err)
	}
	var out []read.Partition
	for i := range parts {
		from, to := r.Checkpoint.Top*i/parts, r.Checkpoint.Top*(i+1)/parts
		filter := fmt.Sprintf("(uSNCreated>=%d)(uSNCreated<=%d)", from+1, to)
		switch i {
		case 0:
			filter = fmt.Sprintf("(uSNCreated<=%d)", to)
		case parts - 1:
			filter = fmt.Sprintf("(uSNCreated>=%d)", from+1)
		}
		out = append(out, read.Partition{Key: filter, Base: o.Base, Filter: "(&" + o.Filter + filter + ")"})
	}
	return out, nil
}

// partitionsByContainer cuts at the places below the base that hold others. What lies in none of them is the
// last partition, so that nothing is missed: places hidden from the login, entries directly below the base,
// and what is moved meanwhile.
func (r *Reader) partitionsByContainer(o read.Objects) ([]read.Partition, error) {
	places, known := r.SplitPoints[o.Base]
	if !known {
		var err error
		if places, err = r.splitPointsBelow(o.Base); err != nil {
			return nil, err
		}
		r.SplitPoints[o.Base] = places
	}
	if len(places) == 0 {
		return []read.Partition{o.Whole()}, nil
	}
	var out []read.Partition
	var not strings.Builder
	for _, dn := range places {
		out = append(out, read.Partition{Key: ldapdn.Normalize(dn), Base: dn, Filter: o.Filter, Subtree: true})
		not.WriteString("(!" + subtreeFilter(dn) + ")")
	}
	return append(out, read.Partition{Key: "rest", Base: o.Base, Filter: "(&" + o.Filter + not.String() + ")"}), nil
}

// splitPointsBelow gives the places to cut at, none where that cannot be done.
func (r *Reader) splitPointsBelow(base string) ([]string, error) {
	places, err := r.containersBelow(base)
	if err != nil || len(places) == 0 {
		return nil, err
	}
	provable, err := r.supportsSubtreeMatch(base, places[0])
	if err != nil || !provable {
		return nil, err
	}
	return places, nil
}

// subtreeFilter matches what lies at or below a place (RFC 5020; dnSubtreeMatch of OpenLDAP).
func subtreeFilter(dn string) string {
	return "(entryDN:dnSubtreeMatch:=" + goldap.EscapeFilter(dn) + ")"
}

// supportsSubtreeMatch makes sure that the directory understands below: a filter it does not understand
// matches nothing, negated or not.
func (r *Reader) supportsSubtreeMatch(base, inside string) (bool, error) {
	for _, try := range []struct {
		base, filter string
		want         int
	}{
		{inside, subtreeFilter(inside), 1}, {inside, "(!" + subtreeFilter(inside) + ")", 0},
		{base, "(!" + subtreeFilter(inside) + ")", 1},
	} {
		seen, _, err := r.SearchFirst(wire.Request{
			Base: try.base, Scope: goldap.ScopeBaseObject, Filter: try.filter, Attributes: []string{"1.1"},
		}, 1, func(*wire.Entry) {

		})
		if err != nil || seen != try.want {
			return false, r.ErrIfBroken(r.Ctx, err)
		}
	}
	return true, nil
}

// containersBelow finds what to cut at, going down while there are few.
func (r *Reader) containersBelow(base string) ([]string, error) {
	var out []string
	level := []string{base}
	for depth := range maxDepth {
		var next []string
		for i, dn := range level {
			inner, divisible, err := r.childContainers(dn)
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

// childContainers lists the entries directly below a place that have others below them, or may have. A place
// with very many entries is not divisible.
func (r *Reader) childContainers(dn string) (inner []string, divisible bool, err error) {
	req := wire.Request{
		Base: dn, Scope: goldap.ScopeSingleLevel, Filter: "(objectClass=*)", Attributes: []string{"hasSubordinates"},
		TimeLimit: r.TimeLimit,
		PageSize:  maxChildren,
	}
	seen := 0
	page, err := r.Conn.Search(req, func(e *wire.Entry) error {
		seen++
		if seen <= maxChildren && !isLeaf(e) {
			inner = append(inner, string(e.DN))
		}
		return nil
	})
	if err != nil {
		return nil, false, r.ErrIfBroken(r.Ctx, err)
	}
	return inner, page.Paged && len(page.Cookie) == 0 && seen <= maxChildren, nil
}

// isLeaf reports whether an entry says that it has none below it (X.501 hasSubordinates).
func isLeaf(e *wire.Entry) bool {
	return strings.EqualFold(string(wire.FirstValue(e, "hasSubordinates")), "false")
}

package jsonpath

// Plan reads documents in which one query selects many records and others pick single values from around
// them, such as the cursor of the next page. Where the records are reached by plain names and one array, a
// document of any length is read with one record in memory; other queries need the whole document, which
// Limits.Document bounds.
//
// A query that ends in a name or an index and meets an array stands for the elements of that array.
type Plan struct {
	records *Path
	picks   []*Path

	streams bool
	// what chooses among the elements; nil: all elements of an array, or the one value that stands there
	each  *selector
	rest  []segment // applied to every element
	root  *node
	last  []lastPick // picks from the last element
	inner []int      // picks inside the place of the records, which exist only if an object stands there
}

// lastPick is a pick that starts at the last record, as APIs want it that page by the key of the last record.
type lastPick struct {
	pick int
	rest []segment
}

// node is a place in the document that some query passes or ends at.
type node struct {
	// names and indexes lead to the places below.
	names    map[string]*node
	indexes  map[int64]*node
	records  bool
	captures []capture
}

// capture is a pick that ends at a place, with the segments that are applied there.
type capture struct {
	pick int
	rest []segment
}

// NewPlan compiles how to read records and picks in one pass.
func NewPlan(records *Path, picks ...*Path) *Plan {
	pl := &Plan{records: records, picks: picks, root: &node{}}
	prefix := lead(records.segments)
	pl.streams = pl.planRecords(prefix)
	for i, p := range picks {
		if !pl.streams {
			break
		}
		pl.streams = pl.planPick(i, p, prefix)
	}
	return pl
}

// Streams reports whether the plan holds only one record at a time.
func (pl *Plan) Streams() bool { return pl.streams }

// lead is the leading part of a query made of names and indexes from the front.
func lead(segments []segment) []selector {
	var out []selector
	for _, s := range segments {
		if s.descend || len(s.selectors) != 1 {
			break
		}
		sel := s.selectors[0]
		if sel.kind != byName && (sel.kind != byIndex || sel.index < 0) {
			break
		}
		out = append(out, sel)
	}
	return out
}

// planRecords enters the records' query into the tree, and says whether its records can be read one
// by one.
func (pl *Plan) planRecords(prefix []selector) bool {
	segments := pl.records.segments
	pl.root.reach(prefix).records = true
	if len(segments) == len(prefix) {
		return true
	}
	s := segments[len(prefix)]
	if s.descend || len(s.selectors) != 1 || segmentsUseRoot(segments[len(prefix):]) {
		return false
	}
	pl.each, pl.rest = &s.selectors[0], segments[len(prefix)+1:]
	switch pl.each.kind {
	case byWildcard, byFilter:
		return true
	case bySlice:
		return pl.each.slice.forward()
	}
	return false
}

// forward reports whether the slice can be taken without knowing the array's length.
func (s slice) forward() bool {
	return s.step > 0 && (s.start == nil || *s.start >= 0) && (s.end == nil || *s.end >= 0)
}

// contains says whether the slice, which goes forward, takes the i-th element.
func (s slice) contains(i int64) bool {
	start := int64(0)
	if s.start != nil {
		start = *s.start
	}
	return i >= start && (s.end == nil || i < *s.end) && (i-start)%s.step == 0
}

// planPick places a pick beside the records. It is false where the pick needs more of the records than the last one.
func (pl *Plan) planPick(i int, p *Path, records []selector) bool {
	own := lead(p.segments)
	rest := p.segments[len(own):]
	if segmentsUseRoot(rest) {
		return false
	}
	common := 0
	for common < len(own) && common < len(records) && same(own[common], records[common]) {
		common++
	}
	switch {
	case common < len(own) && common < len(records):
		at := pl.root.reach(own)
		at.captures = append(at.captures, capture{pick: i, rest: rest})
		return true
	case common < len(records):
		return false // the pick holds the records
	case len(own) > common && own[common].kind == byName:
		pl.inner = append(pl.inner, i)
		return true
	case len(own) == common && fromLast(rest):
		pl.last = append(pl.last, lastPick{pick: i, rest: rest[1:]})
		return true
	}
	return false
}

// fromLast says whether the segments begin with the last element, [-1].
func fromLast(rest []segment) bool {
	return len(rest) > 0 && !rest[0].descend && len(rest[0].selectors) == 1 &&
		rest[0].selectors[0].kind == byIndex && rest[0].selectors[0].index == -1
}

// same says whether two selectors of names or indexes are equal.
func same(a, b selector) bool { return a.kind == b.kind && a.name == b.name && a.index == b.index }

// reach finds or makes the node at the end of steps.
func (n *node) reach(steps []selector) *node {
	for _, s := range steps {
		var next *node
		if s.kind == byName {
			if n.names == nil {
				n.names = map[string]*node{}
			}
			if next = n.names[s.name]; next == nil {
				next = &node{}
				n.names[s.name] = next
			}
		} else {
			if n.indexes == nil {
				n.indexes = map[int64]*node{}
			}
			if next = n.indexes[s.index]; next == nil {
				next = &node{}
				n.indexes[s.index] = next
			}
		}
		n = next
	}
	return n
}

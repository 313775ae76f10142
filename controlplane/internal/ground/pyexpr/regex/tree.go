package regex

import (
	"unicode"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/unitext"
)

// kind of a node.
type kind byte

const (
	empty   kind = iota
	char         // one character of a set
	cat          // one after the other
	alt          // one or another
	repeat       // min to max times
	group        // captured as n
	look         // around: ahead or behind, wanted or not
	atomic       // once matched, not gone back into
	backref      // what group n has captured
	assert       // a place
)

// Kinds of place.
const (
	textStart = iota
	textEnd
	lineStart
	lineEnd
	atEnd // the end, or before a newline at the end
	boundary
	noBoundary
)

type node struct {
	kind       kind
	subs       []*node
	set        *set
	n          int // of a group; kind of a place
	min, max   int // max is -1 for no end
	lazy       bool
	possessive bool
	negative   bool
	behind     bool
	flags      Flags
}

// width is how many characters the node matches; ok is false when that is not fixed.
func (n *node) width() (w int, ok bool) {
	switch n.kind {
	case char:
		return 1, true
	case cat, group, atomic:
		for _, s := range n.subs {
			x, fixed := s.width()
			if !fixed {
				return 0, false
			}
			w += x
		}
		return w, true
	case alt:
		for i, s := range n.subs {
			x, fixed := s.width()
			if !fixed || i > 0 && x != w {
				return 0, false
			}
			w = x
		}
		return w, true
	case repeat:
		x, fixed := n.subs[0].width()
		return x * n.min, fixed && n.min == n.max
	case backref:
		return 0, false
	}
	return 0, true
}

// nullable reports whether the node may match nothing.
func (n *node) nullable() bool {
	switch n.kind {
	case char:
		return false
	case cat, group, atomic:
		for _, s := range n.subs {
			if !s.nullable() {
				return false
			}
		}
		return true
	case alt:
		for _, s := range n.subs {
			if s.nullable() {
				return true
			}
		}
		return false
	case repeat:
		return n.min == 0 || n.subs[0].nullable()
	}
	return true
}

// set is a set of characters.
type set struct {
	ranges   []rune // pairs
	classes  []byte // d, D, s, S, w, W
	negative bool
	fold     bool
	ascii    bool // the classes know ASCII only
	table    [2]uint64
	ready    bool
	cost     int // instructions that a character beyond ASCII takes
}

// finish works out what the set says of ASCII.
func (s *set) finish() *set {
	for r := range rune(128) {
		if s.looked(r) {
			s.table[r>>6] |= 1 << (r & 63)
		}
	}
	s.ready = true
	if s.cost = len(s.ranges)/4 + 4*len(s.classes); s.fold {
		s.cost *= 4
	}
	return s
}

func (s *set) has(r rune) bool {
	if r < 128 && s.ready {
		return s.table[r>>6]>>(r&63)&1 == 1
	}
	return s.looked(r)
}

func (s *set) looked(r rune) bool {
	in := s.one(r)
	if s.fold && s.ascii && !in && unicode.IsLetter(r) && r < 128 {
		in = s.one(r ^ 0x20)
	}
	if s.fold && !s.ascii && !in {
		for f := unicode.SimpleFold(r); f != r && !in; f = unicode.SimpleFold(f) {
			in = s.one(f)
		}
		in = in || r == 'İ' && s.one('i') || (r == 'i' || r == 'I') && s.one('İ') || r == 'ı' && s.one('i') ||
			(r == 'i' || r == 'I') && s.one('ı')
	}
	return in != s.negative
}

func (s *set) one(r rune) bool {
	for i := 0; i < len(s.ranges); i += 2 {
		if r >= s.ranges[i] && r <= s.ranges[i+1] {
			return true
		}
	}
	for _, c := range s.classes {
		if s.class(c, r) {
			return true
		}
	}
	return false
}

func (s *set) class(c byte, r rune) bool {
	if s.ascii && r > 127 {
		return c < 'a'
	}
	switch c {
	case 'd':
		return unitext.IsDecimal(r)
	case 'D':
		return !unitext.IsDecimal(r)
	case 's':
		return s.space(r)
	case 'S':
		return !s.space(r)
	case 'w':
		return unitext.IsWord(r)
	}
	return !unitext.IsWord(r)
}

func (s *set) space(r rune) bool {
	return unitext.IsSpace(r) && !(s.ascii && r >= 28 && r <= 31)
}

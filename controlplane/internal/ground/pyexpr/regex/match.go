package regex

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/unitext"
)

// Mode says where a match has to begin and end.
type Mode int

// Modes of matching.
const (
	Search Mode = iota // anywhere
	Prefix             // at the start
	Full               // from the start to the end
)

// choice is something to go back to: another place in the program, or, when slot is set, an older value of a slot.
type choice struct{ pc, pos, slot int }

const perStep = 8 // instructions to a step

// machine is one search.
type machine struct {
	m        Meter
	p        *Pattern
	s        string
	end      int
	full     bool
	notEmpty int // a match that begins and ends here does not count; -1 for none
	slots    []int
	stack    []choice
	done     int // instructions since they were charged
	all      int // instructions of this search
	failed   []uint64
	depth    int
}

// Match looks for the pattern in s[:end] from byte start on. It gives the bounds of all groups in bytes, -1 for those
// that took no part, and at the end the number of the group that was closed last, -1 for none. It gives nil when
// nothing matches. A match that is empty at notEmpty does not count.
func (p *Pattern) Match(m Meter, s string, start, end, notEmpty int, mode Mode) []int {
	m.Alloc(8*p.slots + 128)
	x := &machine{m: m, p: p, s: s, end: end, full: mode == Full, notEmpty: notEmpty, slots: make([]int, p.slots)}
	for at := start; at <= end; {
		for i := range x.slots {
			x.slots[i] = -1
		}
		x.stack = x.stack[:0]
		if x.run(0, at, 0) >= 0 {
			x.charge()
			return x.slots[:2*(p.Groups+1)+1]
		}
		if mode != Search || at == end {
			break
		}
		_, n := utf8.DecodeRuneInString(s[at:end])
		at += n
	}
	x.charge()
	return nil
}

func (x *machine) charge() {
	x.m.Steps(x.done/perStep + 1)
	x.done = 0
}

func (x *machine) push(c choice) {
	if len(x.stack) == cap(x.stack) {
		x.m.Alloc(24 * max(len(x.stack), 16))
	}
	x.stack = append(x.stack, c)
}

func (x *machine) set(slot, v int) {
	x.push(choice{pc: -1, pos: x.slots[slot], slot: slot})
	x.slots[slot] = v
}

// remember reports whether a place in the program has been tried at this place of the text before. It does so only in
// long searches, where nothing but the place decides what comes of it.
func (x *machine) remember(pc, pos int) (tried bool) {
	if x.failed == nil {
		if x.all < 4096+16*x.end || x.p.backref {
			return false
		}
		words := len(x.p.prog)*(x.end+1)/64 + 1
		if words > 1<<16 {
			return false
		}
		x.m.Alloc(8 * words)
		x.failed = make([]uint64, words)
	}
	i := pc*(x.end+1) + pos
	if x.failed[i>>6]>>(i&63)&1 == 1 {
		return true
	}
	x.failed[i>>6] |= 1 << (i & 63)
	return false
}

// run runs the program from pc at pos until it is matched, and returns where; -1 if it is not. base is how much of the
// stack belongs to others.
func (x *machine) run(pc, pos, base int) int {
	for {
		if x.done++; x.done >= 1024 {
			x.all += x.done
			x.charge()
		}
		ok := true
		i := &x.p.prog[pc]
		pc++
		switch i.op {
		case opChar:
			if ok = pos < x.end; ok {
				r, n := rune(x.s[pos]), 1
				if r >= utf8.RuneSelf {
					r, n = utf8.DecodeRuneInString(x.s[pos:x.end])
					x.done += i.set.cost
				}
				pos += n
				ok = i.set.has(r)
			}
		case opSplit:
			if x.depth == 0 && x.remember(pc-1, pos) {
				ok = false
				break
			}
			x.push(choice{pc: i.b, pos: pos, slot: -1})
			pc = i.a
		case opJump:
			pc = i.a
		case opSave:
			x.set(i.a, pos)
			if last := 2 * (x.p.Groups + 1); i.a > 1 && i.a < last && i.a&1 == 1 {
				x.set(last, i.a/2)
			}
		case opLoop:
			if pc = i.a; x.slots[i.b] == pos {
				pc = i.c
			}
		case opAssert:
			ok = x.place(i, pos)
		case opLook, opAtomic:
			if pos, ok = x.inner(i, pc, pos); ok {
				pc = i.a
			}
		case opBackref:
			pos, ok = x.again(i, pos)
		case opDone:
			return pos
		case opMatch:
			if ok = !(x.full && pos != x.end) && !(pos == x.notEmpty && x.slots[0] == pos); ok {
				return pos
			}
		}
		if !ok {
			if pc, pos = x.back(base); pc < 0 {
				return -1
			}
		}
	}
}

// back goes to the last choice.
func (x *machine) back(base int) (pc, pos int) {
	for len(x.stack) > base {
		c := x.stack[len(x.stack)-1]
		x.stack = x.stack[:len(x.stack)-1]
		if c.slot < 0 {
			return c.pc, c.pos
		}
		x.slots[c.slot] = c.pos
		x.done++
	}
	return -1, 0
}

// inner runs a part that is not gone back into.
func (x *machine) inner(i *inst, pc, pos int) (int, bool) {
	at := pos
	if i.behind {
		for range i.b {
			if at == 0 {
				return pos, i.negative
			}
			_, n := utf8.DecodeLastRuneInString(x.s[:at])
			at -= n
		}
	}
	x.depth++
	base := len(x.stack)
	end := x.run(pc, at, base)
	x.depth--
	switch {
	case end < 0:
		return pos, i.negative
	case i.negative:
		x.undo(base)
		return pos, false
	}
	// What was captured stays, and is undone when the whole is gone back over.
	kept := base
	for _, c := range x.stack[base:] {
		if c.slot >= 0 {
			x.stack[kept] = c
			kept++
		}
	}
	x.stack = x.stack[:kept]
	if i.op == opLook {
		return pos, true
	}
	return end, true
}

func (x *machine) undo(base int) {
	for len(x.stack) > base {
		c := x.stack[len(x.stack)-1]
		x.stack = x.stack[:len(x.stack)-1]
		if c.slot >= 0 {
			x.slots[c.slot] = c.pos
		}
	}
}

// again matches what a group has captured.
func (x *machine) again(i *inst, pos int) (int, bool) {
	from, to := x.slots[2*i.a], x.slots[2*i.a+1]
	if from < 0 || to < from {
		return pos, false
	}
	was, rest := x.s[from:to], x.s[pos:x.end]
	x.done += len(was)
	if i.flags&IgnoreCase == 0 {
		return pos + len(was), strings.HasPrefix(rest, was)
	}
	for was != "" {
		a, n := utf8.DecodeRuneInString(was)
		b, k := utf8.DecodeRuneInString(rest)
		if rest == "" || a != b && (i.flags&ASCII != 0 && max(a, b) > 127 || unicode.ToLower(a) != unicode.ToLower(b)) {
			return pos, false
		}
		was, rest, pos = was[n:], rest[k:], pos+k
	}
	return pos, true
}

func (x *machine) place(i *inst, pos int) bool {
	switch i.a {
	case textStart:
		return pos == 0
	case textEnd:
		return pos == x.end
	case lineStart:
		return pos == 0 || x.s[pos-1] == '\n'
	case lineEnd:
		return pos == x.end || x.s[pos] == '\n'
	case atEnd:
		return pos == x.end || pos == x.end-1 && x.s[pos] == '\n'
	}
	return x.boundary(i, pos) == (i.a == boundary)
}

// boundary reports whether a word begins or ends at pos. In an empty text there is neither a boundary nor none.
func (x *machine) boundary(i *inst, pos int) bool {
	if x.end == 0 {
		return i.a == noBoundary
	}
	word := func(r rune) bool { return unitext.IsWord(r) && (i.flags&ASCII == 0 || r < utf8.RuneSelf) }
	before, after := false, false
	if pos > 0 {
		r, _ := utf8.DecodeLastRuneInString(x.s[:pos])
		before = word(r)
	}
	if pos < x.end {
		r, _ := utf8.DecodeRuneInString(x.s[pos:x.end])
		after = word(r)
	}
	return before != after
}

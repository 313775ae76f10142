package regex

import "fmt"

type opcode byte

const (
	opChar    opcode = iota
	opSplit          // to a first, then to b
	opJump           // to a
	opSave           // the place, in slot a
	opLoop           // to a, unless nothing was matched since slot b was set, then to c
	opAssert         // place of kind a
	opLook           // runs from the next instruction to an opDone; goes on at a
	opAtomic         // the same
	opBackref        // group a
	opDone
	opMatch
)

type inst struct {
	op       opcode
	a, b, c  int
	set      *set
	negative bool
	behind   bool
	flags    Flags
}

type compiler struct {
	m       Meter
	pattern *Pattern
}

// tooLarge travels as a panic from where the program grows to where it is asked for.
type tooLarge struct{}

func (c *compiler) program(tree *node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(tooLarge); !ok {
				panic(r)
			}
			err = &Error{fmt.Sprintf("the pattern is too large: its repetitions make more than %d parts", maxProgram)}
		}
	}()
	c.emit(inst{op: opSave, a: 0})
	c.node(tree)
	c.emit(inst{op: opSave, a: 1})
	c.emit(inst{op: opMatch})
	return nil
}

func (c *compiler) emit(i inst) int {
	if len(c.pattern.prog) >= maxProgram {
		panic(tooLarge{})
	}
	c.m.Steps(1)
	c.m.Alloc(80)
	c.pattern.prog = append(c.pattern.prog, i)
	return len(c.pattern.prog) - 1
}

func (c *compiler) next() int      { return len(c.pattern.prog) }
func (c *compiler) at(i int) *inst { return &c.pattern.prog[i] }
func (c *compiler) slot() (n int)  { n = c.pattern.slots; c.pattern.slots++; return n }

func (c *compiler) node(n *node) {
	switch n.kind {
	case char:
		c.emit(inst{op: opChar, set: n.set})
	case cat:
		for _, s := range n.subs {
			c.node(s)
		}
	case alt:
		c.alternatives(n.subs)
	case repeat:
		c.repeat(n)
	case group:
		c.emit(inst{op: opSave, a: 2 * n.n})
		c.node(n.subs[0])
		c.emit(inst{op: opSave, a: 2*n.n + 1})
	case look, atomic:
		i := c.emit(inst{op: opAtomic, negative: n.negative, behind: n.behind, b: n.min})
		if n.kind == look {
			c.at(i).op = opLook
		}
		c.node(n.subs[0])
		c.emit(inst{op: opDone})
		c.at(i).a = c.next()
	case backref:
		c.emit(inst{op: opBackref, a: n.n, flags: n.flags})
	case assert:
		c.emit(inst{op: opAssert, a: n.n, flags: n.flags})
	}
}

func (c *compiler) alternatives(subs []*node) {
	var ends []int
	for i, s := range subs {
		if i == len(subs)-1 {
			c.node(s)
			break
		}
		split := c.emit(inst{op: opSplit})
		c.at(split).a = c.next()
		c.node(s)
		ends = append(ends, c.emit(inst{op: opJump}))
		c.at(split).b = c.next()
	}
	for _, e := range ends {
		c.at(e).a = c.next()
	}
}

func (c *compiler) repeat(n *node) {
	if n.possessive {
		plain := *n
		plain.possessive = false
		c.node(&node{kind: atomic, subs: []*node{&plain}})
		return
	}
	body := n.subs[0]
	for range n.min {
		c.m.Steps(1) // also of a body that is nothing
		c.node(body)
	}
	switch {
	case n.max < 0:
		c.loop(body, n.lazy)
	case n.max > n.min:
		var exits []int
		for range n.max - n.min {
			c.m.Steps(1)
			exits = append(exits, c.split(n.lazy))
			c.node(body)
		}
		for _, e := range exits {
			c.exit(e, n.lazy)
		}
	}
}

// split emits a choice between what follows and an exit that exit sets.
func (c *compiler) split(lazy bool) int {
	i := c.emit(inst{op: opSplit})
	if lazy {
		c.at(i).b = c.next()
	} else {
		c.at(i).a = c.next()
	}
	return i
}

func (c *compiler) exit(i int, lazy bool) {
	if lazy {
		c.at(i).a = c.next()
	} else {
		c.at(i).b = c.next()
	}
}

func (c *compiler) loop(body *node, lazy bool) {
	start := c.split(lazy)
	if !body.nullable() {
		c.node(body)
		c.emit(inst{op: opJump, a: start})
		c.exit(start, lazy)
		return
	}
	slot := c.slot()
	c.emit(inst{op: opSave, a: slot})
	c.node(body)
	back := c.emit(inst{op: opLoop, a: start, b: slot})
	c.at(back).c = c.next()
	c.exit(start, lazy)
}

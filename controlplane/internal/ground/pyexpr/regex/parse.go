package regex

import (
	"strings"
)

type parser struct {
	src     []rune
	i       int
	flags   Flags
	groups  int
	open    []bool // by group: whether it is still open
	names   map[string]int
	depth   int
	backref bool
}

func (p *parser) more() bool { return p.i < len(p.src) }

func (p *parser) peek() rune {
	if p.more() {
		return p.src[p.i]
	}
	return -1
}

func (p *parser) accept(s string) bool {
	for j, r := range []rune(s) {
		if p.i+j >= len(p.src) || p.src[p.i+j] != r {
			return false
		}
	}
	p.i += len([]rune(s))
	return true
}

func (p *parser) parse() (*node, error) {
	if err := p.leading(); err != nil {
		return nil, err
	}
	p.open = []bool{true}
	n, err := p.alternatives(p.flags)
	if err != nil {
		return nil, err
	}
	if p.more() {
		return nil, wrong(p.i, "unbalanced parenthesis")
	}
	return n, nil
}

// leading reads flags for the whole pattern, which stand at its start.
func (p *parser) leading() error {
	for {
		from := p.i
		if !p.accept("(?") {
			return nil
		}
		var f Flags
		for p.more() {
			flag, ok := flagLetters[p.peek()]
			if !ok {
				break
			}
			f |= flag
			p.i++
		}
		if f == 0 || !p.accept(")") {
			p.i = from
			return nil
		}
		p.flags |= f
	}
}

var flagLetters = map[rune]Flags{'i': IgnoreCase, 'm': Multiline, 's': DotAll, 'x': Verbose, 'a': ASCII, 'u': Unicode}

func (p *parser) alternatives(f Flags) (*node, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxNesting {
		return nil, wrong(p.i, "the pattern is nested too deeply")
	}
	first, err := p.sequence(f)
	if err != nil || p.peek() != '|' {
		return first, err
	}
	n := &node{kind: alt, subs: []*node{first}}
	for p.accept("|") {
		s, err := p.sequence(f)
		if err != nil {
			return nil, err
		}
		n.subs = append(n.subs, s)
	}
	return n, nil
}

func (p *parser) sequence(f Flags) (*node, error) {
	n := &node{kind: cat}
	for p.more() && p.peek() != '|' && p.peek() != ')' {
		if f&Verbose != 0 && p.skip() {
			continue
		}
		item, err := p.item(f)
		if err != nil {
			return nil, err
		}
		if item == nil {
			continue
		}
		if item, err = p.quantified(item); err != nil {
			return nil, err
		}
		n.subs = append(n.subs, item)
	}
	return n, nil
}

// skip passes over white space and comments of a verbose pattern.
func (p *parser) skip() bool {
	switch r := p.peek(); {
	case r == '#':
		for p.more() && p.peek() != '\n' {
			p.i++
		}
		return true
	case strings.ContainsRune(" \t\n\r\v\f", r):
		p.i++
		return true
	}
	return false
}

// quantified reads what says how often an item is repeated.
func (p *parser) quantified(item *node) (*node, error) {
	for {
		at := p.i
		low, high, ok, err := p.bounds()
		if err != nil {
			return nil, err
		}
		if !ok {
			return item, nil
		}
		if item.kind == repeat && item.n == -1 {
			return nil, wrong(at, "multiple repeat")
		}
		if item.kind == assert && item.n != boundary && item.n != noBoundary || item.kind == empty {
			return nil, wrong(at, "nothing to repeat")
		}
		item = &node{kind: repeat, subs: []*node{item}, min: low, max: high, n: -1}
		switch {
		case p.accept("?"):
			item.lazy = true
		case p.accept("+"):
			item.possessive = true
		}
	}
}

func (p *parser) bounds() (low, high int, ok bool, err error) {
	switch p.peek() {
	case '*':
		p.i++
		return 0, -1, true, nil
	case '+':
		p.i++
		return 1, -1, true, nil
	case '?':
		p.i++
		return 0, 1, true, nil
	case '{':
		return p.braces()
	}
	return 0, 0, false, nil
}

// braces reads {m}, {m,}, {,n} or {m,n}; anything else is a brace that stands for itself.
func (p *parser) braces() (low, high int, ok bool, err error) {
	from := p.i
	p.i++
	low, has := p.number()
	high, comma := low, false
	if p.accept(",") {
		comma = true
		if n, given := p.number(); given {
			high = n
		} else {
			high = -1
		}
	}
	if !p.accept("}") || !has && !comma {
		p.i = from
		return 0, 0, false, nil
	}
	if high >= 0 && high < low {
		return 0, 0, false, wrong(from, "min repeat greater than max repeat")
	}
	return low, high, true, nil
}

func (p *parser) number() (n int, ok bool) {
	for p.peek() >= '0' && p.peek() <= '9' {
		n = min(n*10+int(p.peek()-'0'), 1<<20)
		p.i++
		ok = true
	}
	return n, ok
}

func (p *parser) single(r rune, f Flags) *node {
	s := &set{ranges: []rune{r, r}, fold: f&IgnoreCase != 0, ascii: f&ASCII != 0}
	return &node{kind: char, set: s.finish()}
}

// item reads one item; it is nil for a comment.
func (p *parser) item(f Flags) (*node, error) {
	at, r := p.i, p.peek()
	p.i++
	switch r {
	case '(':
		return p.group(f, at)
	case '[':
		return p.class(f, at)
	case '\\':
		return p.escape(f, at)
	case '.':
		if f&DotAll != 0 {
			return &node{kind: char, set: (&set{negative: true}).finish()}, nil
		}
		return &node{kind: char, set: (&set{ranges: []rune{'\n', '\n'}, negative: true}).finish()}, nil
	case '^':
		if f&Multiline != 0 {
			return &node{kind: assert, n: lineStart}, nil
		}
		return &node{kind: assert, n: textStart}, nil
	case '$':
		if f&Multiline != 0 {
			return &node{kind: assert, n: lineEnd}, nil
		}
		return &node{kind: assert, n: atEnd}, nil
	case '*', '+', '?':
		return nil, wrong(at, "nothing to repeat")
	case '{':
		p.i = at
		if _, _, ok, err := p.braces(); ok || err != nil {
			return nil, wrong(at, "nothing to repeat")
		}
		p.i = at + 1
	}
	return p.single(r, f), nil
}

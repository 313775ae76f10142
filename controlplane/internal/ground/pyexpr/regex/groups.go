package regex

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/unitext"
)

// group reads what follows an opening parenthesis.
func (p *parser) group(f Flags, at int) (*node, error) {
	if !p.accept("?") {
		return p.capture(f, at, "")
	}
	switch {
	case p.accept("P<"):
		name, err := p.name('>', at)
		if err != nil {
			return nil, err
		}
		if _, taken := p.names[name]; taken {
			return nil, wrong(at, "redefinition of group name '%s'", name)
		}
		return p.capture(f, at, name)
	case p.accept("P="):
		name, err := p.name(')', at)
		if err != nil {
			return nil, err
		}
		n, known := p.names[name]
		if !known {
			return nil, wrong(at, "unknown group name '%s'", name)
		}
		return p.reference(n, f, at)
	case p.accept(":"):
		return p.closed(&node{kind: cat}, f, at)
	case p.accept(">"):
		return p.closed(&node{kind: atomic}, f, at)
	case p.accept("="):
		return p.closed(&node{kind: look}, f, at)
	case p.accept("!"):
		return p.closed(&node{kind: look, negative: true}, f, at)
	case p.accept("<="):
		return p.lookBehind(&node{kind: look, behind: true}, f, at)
	case p.accept("<!"):
		return p.lookBehind(&node{kind: look, behind: true, negative: true}, f, at)
	case p.accept("#"):
		for p.more() && p.peek() != ')' {
			p.i++
		}
		if !p.accept(")") {
			return nil, wrong(at, "missing ), unterminated comment")
		}
		return nil, nil
	case p.accept("("):
		return nil, wrong(at, "(?(…)…) is not possible here")
	}
	return p.flagged(f, at)
}

func (p *parser) closed(n *node, f Flags, at int) (*node, error) {
	sub, err := p.alternatives(f)
	if err != nil {
		return nil, err
	}
	if !p.accept(")") {
		return nil, wrong(at, "missing ), unterminated subpattern")
	}
	n.subs = []*node{sub}
	return n, nil
}

func (p *parser) capture(f Flags, at int, name string) (*node, error) {
	p.groups++
	if p.groups > maxGroups {
		return nil, wrong(at, "more than %d groups", maxGroups)
	}
	n := &node{kind: group, n: p.groups}
	p.open = append(p.open, true)
	if name != "" {
		p.names[name] = n.n
	}
	n, err := p.closed(n, f, at)
	if err == nil {
		p.open[n.n] = false
	}
	return n, err
}

func (p *parser) lookBehind(n *node, f Flags, at int) (*node, error) {
	n, err := p.closed(n, f, at)
	if err != nil {
		return nil, err
	}
	w, fixed := n.subs[0].width()
	if !fixed {
		return nil, wrong(at, "look-behind requires fixed-width pattern")
	}
	n.min = w
	return n, nil
}

// name reads the name of a group up to its end.
func (p *parser) name(closing rune, at int) (string, error) {
	from := p.i
	for p.more() && p.peek() != closing {
		p.i++
	}
	name := string(p.src[from:p.i])
	if !p.more() {
		return "", wrong(at, "missing %c, unterminated name", closing)
	}
	p.i++
	if name == "" {
		return "", wrong(at, "missing group name")
	}
	for i, r := range name {
		if r != '_' && !unitext.IsAlpha(r) && (i == 0 || !unitext.IsAlnum(r)) {
			return "", wrong(at, "bad character in group name '%s'", name)
		}
	}
	return name, nil
}

// flagged reads (?flags-flags:…).
func (p *parser) flagged(f Flags, at int) (*node, error) {
	on, off := Flags(0), Flags(0)
	read := func(to *Flags) error {
		for p.more() && p.peek() != ':' && p.peek() != '-' && p.peek() != ')' {
			flag, ok := flagLetters[p.peek()]
			if !ok {
				if strings.ContainsRune("L", p.peek()) {
					return wrong(p.i, "bad inline flags: cannot use 'L' flag with a str pattern")
				}
				return wrong(p.i, "unknown extension ?%c", p.peek())
			}
			*to |= flag
			p.i++
		}
		return nil
	}
	if err := read(&on); err != nil {
		return nil, err
	}
	if p.accept("-") {
		if err := read(&off); err != nil {
			return nil, err
		}
		if off == 0 || off&(ASCII|Unicode) != 0 || on&off != 0 {
			return nil, wrong(at, "bad inline flags")
		}
	}
	switch {
	case p.accept(")"):
		return nil, wrong(at, "global flags not at the start of the expression")
	case on == 0 && off == 0 || !p.accept(":"):
		return nil, wrong(at, "unknown extension")
	}
	if on&ASCII != 0 && on&Unicode != 0 {
		return nil, wrong(at, "bad inline flags: flags 'a', 'u' and 'L' are incompatible")
	}
	if on&Unicode != 0 {
		f &^= ASCII
	}
	return p.closed(&node{kind: cat}, (f|on)&^off, at)
}

func (p *parser) reference(n int, f Flags, at int) (*node, error) {
	if n >= len(p.open) {
		return nil, wrong(at, "invalid group reference %d", n)
	}
	if p.open[n] {
		return nil, wrong(at, "cannot refer to an open group")
	}
	p.backref = true
	return &node{kind: backref, n: n, flags: f}, nil
}

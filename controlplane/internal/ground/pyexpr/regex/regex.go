// Package regex reads and runs the regular expressions of Python's re with its own engine: the classes, word boundaries
// and the end of text are those of Python down to the character, look-around and back-references included. Every
// instruction is charged. A search that goes back too often remembers what has failed, which makes it linear; where
// back-references forbid that, it ends with the steps.
package regex

import (
	"fmt"
	"maps"
	"slices"
)

// Meter is asked before steps or memory are used; it ends the evaluation by a panic.
type Meter interface {
	Steps(n int)
	Alloc(n int)
}

// Flags of a pattern, with the values of Python.
type Flags int

// The flags. Locale and bytes have no place here.
const (
	IgnoreCase Flags = 2
	Multiline  Flags = 8
	DotAll     Flags = 16
	Unicode    Flags = 32
	Verbose    Flags = 64
	ASCII      Flags = 256
)

// Limits of a pattern.
const (
	maxPattern = 2000 // bytes
	maxProgram = 4000 // instructions
	maxNesting = 100
	maxGroups  = 100
)

// Error is a pattern that is none, or that is not possible here.
type Error struct{ Msg string }

func (e *Error) Error() string { return e.Msg }

func wrong(at int, format string, args ...any) *Error {
	return &Error{fmt.Sprintf(format, args...) + fmt.Sprintf(" at position %d", at)}
}

// Pattern is a compiled pattern.
type Pattern struct {
	Source string
	Flags  Flags
	Groups int            // without group 0
	Names  map[string]int // of groups

	order   []string // the names, the first group first
	prog    []inst
	slots   int // of groups, then the group that was closed last, then of loops
	backref bool
}

// NamesInOrder are the names of the groups, the first group first.
func (p *Pattern) NamesInOrder() []string { return p.order }

// Compile reads a pattern. Its errors are *Error.
func Compile(m Meter, source string, flags Flags) (*Pattern, error) {
	if len(source) > maxPattern {
		return nil, &Error{fmt.Sprintf("the pattern is longer than %d bytes", maxPattern)}
	}
	m.Alloc(64 * len(source))
	m.Steps(len(source))
	p := &parser{src: []rune(source), flags: flags | Unicode, names: map[string]int{}}
	tree, err := p.parse()
	if err != nil {
		return nil, err
	}
	c := &compiler{
		m:       m,
		pattern: &Pattern{Source: source, Flags: p.flags, Groups: p.groups, Names: p.names, backref: p.backref},
	}
	if p.flags&ASCII != 0 {
		c.pattern.Flags &^= Unicode
	}
	c.pattern.order = slices.SortedFunc(maps.Keys(p.names), func(a, b string) int { return p.names[a] - p.names[b] })
	c.pattern.slots = 2*(p.groups+1) + 1
	if err := c.program(tree); err != nil {
		return nil, err
	}
	return c.pattern, nil
}

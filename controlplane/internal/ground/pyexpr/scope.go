package pyexpr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

// frame holds the variables of a scope while it runs.
type frame struct {
	t     *object.Thread
	slots []object.Value
	up    *frame
}

// node is a compiled piece of an expression.
type node func(f *frame) object.Value

// scope is the whole expression, a lambda or a comprehension: what has names of its own.
type scope struct {
	up    *scope
	names map[string]int
	comp  bool
}

func newScope(up *scope, comp bool) *scope {
	return &scope{up: up, names: map[string]int{}, comp: comp}
}

func (s *scope) add(name string) int {
	if i, ok := s.names[name]; ok {
		return i
	}
	s.names[name] = len(s.names)
	return len(s.names) - 1
}

// find looks a name up from here outwards: how many scopes up, and which slot.
func (s *scope) find(name string) (up, slot int, ok bool) {
	for ; s != nil; s = s.up {
		if i, here := s.names[name]; here {
			return up, i, true
		}
		up++
	}
	return 0, 0, false
}

// compiler turns a tree into nodes.
type compiler struct {
	p          *Program
	scope      *scope
	reassigned bool // := gives the name record to something else
}

// compile makes the body of the program.
func (p *Program) compile(tree syntax.Expr) (err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*syntax.Error)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	c := &compiler{p: p, scope: newScope(nil, false)}
	c.scope.add(p.names.value)
	c.scope.add(p.names.record)
	syntax.Walk(tree, func(x syntax.Expr) bool {
		if a, ok := x.(*syntax.Attribute); ok {
			p.changes = p.changes || mutators[a.Name]
		}
		return true
	})
	c.assigned(tree)
	p.body = c.expr(tree)
	p.size = len(c.scope.names)
	return nil
}

// refuse ends compiling.
func refuse(at int, kind, format string, args ...any) {
	panic(&syntax.Error{Kind: kind, Offset: at, Msg: fmt.Sprintf(format, args...)})
}

// assigned adds the names that := gives values to in this scope. Those in comprehensions belong to the scope around.
func (c *compiler) assigned(x syntax.Expr) {
	syntax.Walk(x, func(x syntax.Expr) bool {
		switch x := x.(type) {
		case *syntax.Named:
			c.scope.add(x.Target.ID)
			c.reassigned = c.reassigned || x.Target.ID == c.p.names.record
		case *syntax.Lambda:
			for _, p := range x.Params {
				if p.Default != nil {
					c.assigned(p.Default)
				}
			}
			return false
		}
		return true
	})
}

// name reads a variable, or what the library has under its name.
func (c *compiler) name(x *syntax.Name) node {
	up, slot, found := c.scope.find(x.ID)
	known, global := library.Names[x.ID]
	at := x.At()
	if !found {
		if !global {
			refuse(at, syntax.NotAllowed, "name '%s' is not defined%s", x.ID, c.p.names.suggestion(x.ID))
		}
		return func(*frame) object.Value { return known }
	}
	outermost := c.up(up).up == nil
	if outermost && slot == 1 {
		c.p.reads = true
	}
	unbound := func(f *frame) object.Value {
		if outermost && global {
			return known
		}
		f.t.At = at
		f.t.Raise("NameError", "name '%s' is read before it has a value", x.ID)
		return nil
	}
	switch up {
	case 0:
		return func(f *frame) object.Value {
			if v := f.slots[slot]; v != object.Missing {
				return v
			}
			return unbound(f)
		}
	default:
		return func(f *frame) object.Value {
			g := f
			for range up {
				g = g.up
			}
			if v := g.slots[slot]; v != object.Missing {
				return v
			}
			return unbound(f)
		}
	}
}

func (c *compiler) up(n int) *scope {
	s := c.scope
	for range n {
		s = s.up
	}
	return s
}

// fieldName is the name of the field in record['name'] and record.get('name'), which are looked up without making a
// dict of the whole record first.
func (c *compiler) fieldName(of, key syntax.Expr) (name string, ok bool) {
	n, isName := of.(*syntax.Name)
	k, isConst := key.(*syntax.Const)
	if !isName || !isConst || n.ID != c.p.names.record || c.p.changes {
		return "", false
	}
	up, slot, found := c.scope.find(n.ID)
	if !found || slot != 1 || c.up(up).up != nil || c.reassigned {
		return "", false
	}
	name, ok = k.Value.(string)
	return name, ok
}

// named is an assignment expression: it gives the value to a name of the lambda or the expression around.
func (c *compiler) named(x *syntax.Named) node {
	up := 0
	s := c.scope
	for ; s.comp; s = s.up {
		if _, taken := s.names[x.Target.ID]; taken {
			refuse(
				x.At(),
				syntax.Malformed,
				"assignment expression cannot rebind comprehension iteration variable '%s'",
				x.Target.ID,
			)
		}
		up++
	}
	slot := s.add(x.Target.ID)
	value := c.expr(x.Value)
	return func(f *frame) object.Value {
		v := value(f)
		g := f
		for range up {
			g = g.up
		}
		g.slots[slot] = v
		return v
	}
}

// elsewhere are words of other languages, with those of Python.
var elsewhere = map[string]string{
	"null":        "None",
	"nil":         "None",
	"undefined":   "None",
	"none":        "None",
	"NULL":        "None",
	"true":        "True",
	"false":       "False",
	"TRUE":        "True",
	"FALSE":       "False",
	"this":        "value",
	"source":      "record",
	"row":         "record",
	"user":        "record",
	"toString":    "str",
	"length":      "len",
	"concat":      "join",
	"trim":        "strip",
	"substring":   "value[start:end]",
	"toLowerCase": "lower",
	"toUpperCase": "upper",
	"parseInt":    "int",
	"print":       "nothing; the expression itself is the result",
	"open":        "nothing; there are no files here",
	"eval":        "the expression itself",
	"exec":        "the expression itself",
	"getattr":     "x.name",
	"hasattr":     "'name' in record",
	"strptime":    "datetime.strptime",
	"strftime":    "value.strftime",
	"now":         "nothing; there is no clock here",
	"json":        "the record, which has been read already",
	"os":          "nothing; there is no system here",
	"sys":         "nothing; there is no system here",
	"IF":          "a if test else b",
	"iif":         "a if test else b",
}

// suggestion names what was perhaps meant.
func (n names) suggestion(name string) string {
	if s, ok := elsewhere[name]; ok && !n.members {
		return "; in its place write " + s
	}
	names := []string{n.value, n.record}
	for n := range library.Names {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, known := range names {
		if strings.EqualFold(known, name) || len(known) > 2 && near(known, name) {
			return "; did you mean " + known + "?"
		}
	}
	if n.members {
		return "; a member of " + n.record + " is " + n.record + "." + name
	}
	return "; a field of the record is record['" + name + "']"
}

// near reports whether one letter makes a of b.
func near(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return i == len(a) || a[i+1:] == b[i+1:] ||
			i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
	}
	return a[i:] == b[i+1:]
}

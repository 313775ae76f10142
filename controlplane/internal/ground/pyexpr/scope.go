package pyexpr

import (
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/hint"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

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
func (c *compiler) name(x *syntax.Name) evaluation.Node {
	up, slot, found := c.scope.find(x.ID)
	known, global := library.Names[x.ID]
	at := x.At()
	if !found {
		if n := c.p.names; !global {
			refuse(
				at,
				syntax.NotAllowed,
				"name '%s' is not defined%s",
				x.ID,
				hint.ForName(x.ID, n.value, n.record, n.members),
			)
		}
		return func(*evaluation.Frame) object.Value { return known }
	}
	outermost := c.up(up).up == nil
	if outermost && slot == 1 {
		c.p.reads = true
	}
	unbound := func(f *evaluation.Frame) object.Value {
		if outermost && global {
			return known
		}
		f.Thread.At = at
		f.Thread.Raise("NameError", "name '%s' is read before it has a value", x.ID)
		return nil
	}
	switch up {
	case 0:
		return func(f *evaluation.Frame) object.Value {
			if v := f.Slots[slot]; v != object.Missing {
				return v
			}
			return unbound(f)
		}
	default:
		return func(f *evaluation.Frame) object.Value {
			g := f
			for range up {
				g = g.Up
			}
			if v := g.Slots[slot]; v != object.Missing {
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
func (c *compiler) named(x *syntax.Named) evaluation.Node {
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
	return func(f *evaluation.Frame) object.Value {
		v := value(f)
		g := f
		for range up {
			g = g.Up
		}
		g.Slots[slot] = v
		return v
	}
}

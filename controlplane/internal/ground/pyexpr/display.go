package pyexpr

import (
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

// item is an item of a display or an argument; starred stands for all that is in it.
type item struct {
	node    node
	starred bool
	at      int
}

func (c *compiler) items(xs []syntax.Expr) (all []item, plain bool) {
	plain = true
	for _, x := range xs {
		if s, ok := x.(*syntax.Starred); ok {
			all, plain = append(all, item{c.expr(s.X), true, s.At()}), false
			continue
		}
		all = append(all, item{c.expr(x), false, x.At()})
	}
	return all, plain
}

func fill(f *frame, items []item) []object.Value {
	f.t.Steps(1 + len(items))
	f.t.Items(len(items) + 2)
	out := make([]object.Value, 0, len(items))
	for _, i := range items {
		v := i.node(f)
		if !i.starred {
			out = append(out, v)
			continue
		}
		f.t.At = i.at
		more := f.t.Collect(v)
		f.t.Items(2 * len(more))
		out = append(out, more...)
	}
	return out
}

func (c *compiler) sequence(x *syntax.Sequence) node {
	items, _ := c.items(x.Items)
	at := x.At()
	switch x.Kind {
	case '(':
		return func(f *frame) object.Value { return &object.Tuple{Items: fill(f, items)} }
	case '[':
		return func(f *frame) object.Value { return &object.List{Items: fill(f, items)} }
	}
	return func(f *frame) object.Value {
		s := &object.Set{}
		for _, v := range fill(f, items) {
			f.t.At = at
			f.t.Include(s, v)
		}
		return s
	}
}

func (c *compiler) dict(x *syntax.Dict) node {
	keys, values, at := c.exprs(x.Keys), c.exprs(x.Values), x.At()
	return func(f *frame) object.Value {
		d := &object.Dict{}
		f.t.Steps(1 + len(keys))
		f.t.Alloc(64)
		for i, k := range keys {
			if k == nil {
				v := values[i](f)
				f.t.At = at
				from, ok := v.(*object.Dict)
				if !ok {
					f.t.TypeError("'%s' object is not a mapping", object.TypeName(v))
				}
				f.t.Update(d, from)
				continue
			}
			key := k(f)
			v := values[i](f)
			f.t.At = at
			f.t.Put(d, key, v)
		}
		return d
	}
}

func (c *compiler) fstring(x *syntax.FString) node {
	parts := make([]func(f *frame) string, 0, len(x.Parts))
	for _, p := range x.Parts {
		if k, ok := p.(*syntax.Const); ok {
			s := k.Value.(string)
			parts = append(parts, func(*frame) string { return s })
			continue
		}
		parts = append(parts, c.field(p.(*syntax.Field)))
	}
	return func(f *frame) object.Value {
		if len(parts) == 1 {
			return parts[0](f)
		}
		s := make([]byte, 0, 32)
		for _, p := range parts {
			f.t.Steps(1)
			more := p(f)
			f.t.Alloc(2 * len(more))
			s = append(s, more...)
		}
		return string(s)
	}
}

func (c *compiler) field(x *syntax.Field) func(f *frame) string {
	of, at, conv := c.expr(x.X), x.At(), x.Conv
	strict := c.p.names.members
	var spec node
	if x.Spec != nil {
		spec = c.fstring(x.Spec)
	}
	return func(f *frame) string {
		v := of(f)
		format := ""
		if spec != nil {
			format = spec(f).(string)
		}
		f.t.At = at
		if v == nil && strict {
			f.t.ValueError("a field of the text is None")
		}
		switch conv {
		case 'r':
			v = f.t.Repr(v)
		case 's':
			v = f.t.Str(v)
		case 'a':
			v = f.t.ASCII(v)
		}
		if s, ok := v.(string); ok && format == "" {
			return s
		}
		return f.t.Format(v, format)
	}
}

// wrongUse raises what unpacking into a number of names raises.
func wrongUse(t *object.Thread, want, got int, star bool) {
	switch {
	case star:
		t.ValueError("not enough values to unpack (expected at least %d, got %d)", want, got)
	case got > want:
		t.ValueError("too many values to unpack (expected %d)", want)
	}
	t.ValueError("%s", fmt.Sprintf("not enough values to unpack (expected %d, got %d)", want, got))
}

package pyexpr

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object/formatting"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

func (c *compiler) items(xs []syntax.Expr) (all []evaluation.Item) {
	for _, x := range xs {
		if s, ok := x.(*syntax.Starred); ok {
			all = append(all, evaluation.Item{Node: c.expr(s.X), Starred: true, At: s.At()})
			continue
		}
		all = append(all, evaluation.Item{Node: c.expr(x), At: x.At()})
	}
	return all
}

func (c *compiler) sequence(x *syntax.Sequence) evaluation.Node {
	items, at := c.items(x.Items), x.At()
	switch x.Kind {
	case '(':
		return func(f *evaluation.Frame) object.Value { return &object.Tuple{Items: evaluation.Fill(f, items)} }
	case '[':
		return func(f *evaluation.Frame) object.Value { return &object.List{Items: evaluation.Fill(f, items)} }
	}
	return func(f *evaluation.Frame) object.Value {
		s := &object.Set{}
		for _, v := range evaluation.Fill(f, items) {
			f.Thread.At = at
			f.Thread.Include(s, v)
		}
		return s
	}
}

func (c *compiler) dict(x *syntax.Dict) evaluation.Node {
	keys, values, at := c.exprs(x.Keys), c.exprs(x.Values), x.At()
	return func(f *evaluation.Frame) object.Value {
		d := &object.Dict{}
		f.Thread.Steps(1 + len(keys))
		f.Thread.Alloc(64)
		for i, k := range keys {
			if k == nil {
				v := values[i](f)
				f.Thread.At = at
				from, ok := v.(*object.Dict)
				if !ok {
					f.Thread.TypeError("'%s' object is not a mapping", object.TypeName(v))
				}
				f.Thread.Update(d, from)
				continue
			}
			key := k(f)
			v := values[i](f)
			f.Thread.At = at
			f.Thread.Put(d, key, v)
		}
		return d
	}
}

func (c *compiler) fstring(x *syntax.FString) evaluation.Node {
	parts := make([]func(f *evaluation.Frame) string, 0, len(x.Parts))
	for _, p := range x.Parts {
		if k, ok := p.(*syntax.Const); ok {
			s := k.Value.(string)
			parts = append(parts, func(*evaluation.Frame) string { return s })
			continue
		}
		parts = append(parts, c.field(p.(*syntax.Field)))
	}
	return func(f *evaluation.Frame) object.Value {
		if len(parts) == 1 {
			return parts[0](f)
		}
		s := make([]byte, 0, 32)
		for _, p := range parts {
			f.Thread.Steps(1)
			more := p(f)
			f.Thread.Alloc(2 * len(more))
			s = append(s, more...)
		}
		return string(s)
	}
}

func (c *compiler) field(x *syntax.Field) func(f *evaluation.Frame) string {
	of, at, conv := c.expr(x.X), x.At(), x.Conv
	strict := c.p.names.members
	var spec evaluation.Node
	if x.Spec != nil {
		spec = c.fstring(x.Spec)
	}
	return func(f *evaluation.Frame) string {
		v := of(f)
		format := ""
		if spec != nil {
			format = spec(f).(string)
		}
		f.Thread.At = at
		if v == nil && strict {
			f.Thread.ValueError("a field of the text is None")
		}
		switch conv {
		case 'r':
			v = f.Thread.Repr(v)
		case 's':
			v = f.Thread.Str(v)
		case 'a':
			v = f.Thread.ASCII(v)
		}
		if s, ok := v.(string); ok && format == "" {
			return s
		}
		return formatting.Format(f.Thread, v, format)
	}
}

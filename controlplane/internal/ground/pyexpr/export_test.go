package pyexpr

import (
	"context"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// Canonical evaluates as Eval does, and gives a text that tells types apart, as testdata/oracle.py writes it.
func (p *Program) Canonical(value any, rec *Record) (text string, err error) {
	r := p.runs.Get().(*run)
	r.thread.Reset(context.Background())
	defer func() {
		if caught := recover(); caught != nil {
			text, err = "", failure(p.source, r.thread.At, caught)
		}
	}()
	v, err := p.evaluate(r, value, rec)
	if err != nil {
		return "", err
	}
	return canon(&r.thread, v), nil
}

func canon(t *object.Thread, v object.Value) string {
	t.Enter()
	defer t.Leave()
	switch v := v.(type) {
	case *object.List:
		return "[" + canons(t, v.Items) + "]"
	case *object.Tuple:
		return "(" + canons(t, v.Items) + ")"
	case *object.Set:
		var all []string
		for x := range v.All {
			all = append(all, canon(t, x))
		}
		slices.Sort(all)
		return object.TypeName(v) + "{" + strings.Join(all, ",") + "}"
	case *object.Dict:
		var all []string
		for k, x := range v.All {
			all = append(all, canon(t, k)+":"+canon(t, x))
		}
		return "{" + strings.Join(all, ",") + "}"
	case *library.Type, *library.Module, library.Callable:
		return "object"
	case *object.Range:
		return t.Repr(v)
	case *object.Iter, object.Iterable:
		return "iter" + canon(t, &object.List{Items: t.Collect(v)})
	}
	switch object.TypeName(v) {
	case "re.Match":
		span := library.Method(v, "span").Invoke(t, []object.Value{v}, nil)
		groups := library.Method(v, "groups").Invoke(t, []object.Value{v}, nil).(*object.Tuple)
		return "match" + canon(t, &object.Tuple{Items: append([]object.Value{span}, groups.Items...)})
	case "re.Pattern":
		return "object"
	}
	return t.Repr(v)
}

func canons(t *object.Thread, items []object.Value) string {
	all := make([]string, len(items))
	for i, v := range items {
		all[i] = canon(t, v)
	}
	return strings.Join(all, ",")
}

package syntax

// Walk visits x and what is in it; visit reports whether to go on into an expression.
func Walk(x Expr, visit func(Expr) bool) {
	if x == nil || !visit(x) {
		return
	}
	each := func(all []Expr) {
		for _, y := range all {
			if y != nil {
				Walk(y, visit)
			}
		}
	}
	switch x := x.(type) {
	case *Named:
		each([]Expr{x.Value})
	case *Unary:
		each([]Expr{x.X})
	case *Binary:
		each([]Expr{x.L, x.R})
	case *Logic:
		each(x.Xs)
	case *Compare:
		each([]Expr{x.First})
		each(x.Rest)
	case *Cond:
		each([]Expr{x.Test, x.Then, x.Else})
	case *Lambda:
		for _, p := range x.Params {
			each([]Expr{p.Default})
		}
		each([]Expr{x.Body})
	case *Call:
		each([]Expr{x.Func})
		each(x.Args)
		for _, k := range x.Keywords {
			each([]Expr{k.Value})
		}
	case *Attribute:
		each([]Expr{x.X})
	case *Subscript:
		each([]Expr{x.X, x.Index})
	case *Slice:
		each([]Expr{x.Lo, x.Hi, x.Step})
	case *Starred:
		each([]Expr{x.X})
	case *Sequence:
		each(x.Items)
	case *Dict:
		each(x.Keys)
		each(x.Values)
	case *Comp:
		each([]Expr{x.Elt, x.Value})
		for _, c := range x.Clauses {
			each([]Expr{c.Target, c.Iter})
			each(c.Ifs)
		}
	case *FString:
		each(x.Parts)
	case *Field:
		each([]Expr{x.X})
		if x.Spec != nil {
			each(x.Spec.Parts)
		}
	}
}

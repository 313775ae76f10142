package evaluation

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// Item is an item of a list, tuple or set in the text, or an argument by position. Starred stands for all that is in
// it.
type Item struct {
	Node    Node
	Starred bool
	At      int
}

// Fill evaluates items in order and gives their values, charged as a sequence of their own.
func Fill(f *Frame, items []Item) []object.Value {
	f.Thread.Steps(1 + len(items))
	f.Thread.Items(len(items) + 2)
	out := make([]object.Value, 0, len(items))
	for _, i := range items {
		v := i.Node(f)
		if !i.Starred {
			out = append(out, v)
			continue
		}
		f.Thread.At = i.At
		more := f.Thread.Collect(v)
		f.Thread.Items(2 * len(more))
		out = append(out, more...)
	}
	return out
}

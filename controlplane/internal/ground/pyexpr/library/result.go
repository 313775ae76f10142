package library

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// NewText charges a new text and gives it as a value.
func NewText(t *thread, s string) value {
	t.Alloc(len(s) + 16)
	return s
}

// NewTextList makes and charges a list of texts; the texts themselves are parts of one that is charged already.
func NewTextList(t *thread, parts []string) *object.List {
	t.Items(2*len(parts) + 2)
	l := &object.List{Items: make(values, len(parts))}
	for i, p := range parts {
		l.Items[i] = p
	}
	return l
}

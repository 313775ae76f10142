package queue

import (
	"cmp"
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Kind says what is done about the items of a kind, by Work or by Part.
type Kind struct {
	Name    string
	Title   string // what people read in place of the name
	About   string // one sentence that says what the work does
	Subject string // what the subjects of items are, such as identity; empty: it depends, or the tenant as a whole
	Group   string // kinds of a group are never worked on at once in one tenant; empty: the kind itself
	Display string // on whose behalf changes are made; empty: the system's
	Batch   int    // subjects in one transaction
	Forever bool   // never dead: lost work of this kind would stay unnoticed
	Early   bool   // items that are not due yet are taken together with a due one of their subject

	// Work acts on items in the transaction that takes them. When it fails, the queue tries parts of the batch, until
	// it has found the items that fail by themselves.
	Work func(ctx context.Context, tx *pg.Tx, items []Item) error

	// Part does a part of what is due in a tenant, in transactions of its own, and says how much that was; 0: nothing
	// is left. It is for work that dates in a package's own rows make due, such as reminders and the end of an
	// assignment, and takes items of its kind by itself, if there are any.
	Part func(ctx context.Context, tenant string) (int, error)

	// Due finds tenants whose own dates have come, for Part.
	Due *Due
}

// Due is a query that gives the ids of tenants, as a rule of active ones. It reads as the role that may read across
// tenants, and only reads: a process that finds nothing due has written nothing.
type Due struct {
	SQL   string
	Args  func() []any  // nil: none
	Every time.Duration // between two times that a process asks; 0: whenever it looks for due work
}

func (k Kind) group() string { return cmp.Or(k.Group, k.Name) }

func (k Kind) viewer(tenant string) viewer.Viewer {
	v := viewer.System(tenant)
	v.Display = cmp.Or(k.Display, v.Display)
	return v
}

package httpapi

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/cursor"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// MaxLimit is the greatest page; a greater wish is cut down to it and the envelope says so.
const MaxLimit = 500

// Paging are the query parameters of a list. Embed it in the input struct.
type Paging struct {
	// Rows in a page; above 500 it is cut down to 500.
	Limit int32 `query:"limit" minimum:"1" default:"50"`
	// Rows to pass over. Not together with cursor.
	Offset int32 `query:"offset" minimum:"0" default:"0"`
	// The next_cursor of the previous page. Paging by cursor returns every row that exists throughout exactly once, and
	// late pages are as fast as early ones.
	Cursor string `query:"cursor" maxLength:"4096"`
}

// List is the envelope of every list.
type List[T any] struct {
	Items []T `json:"items" nullable:"false"`
	// All rows that match and that the caller may see.
	Total int64 `json:"total"`
	// The limit applied.
	Limit int `json:"limit"`
	// The offset applied.
	Offset int `json:"offset"`
	// Where the next page starts; null at the end.
	NextCursor *string `json:"next_cursor"`
}

// ListOut is a list as huma wants it.
type ListOut[T any] struct{ Body List[T] }

// Cursors makes and reads the opaque cursors of lists. A cursor is sealed, lives a day, and is bound to tenant, viewer,
// list and filters: it carries a position, never a right.
type Cursors struct{ sealer *cursor.Sealer }

// NewCursors takes 32 secret bytes.
func NewCursors(secret []byte, now func() time.Time) (*Cursors, error) {
	sealer, err := cursor.NewSealer(secret, now)
	if err != nil {
		return nil, err
	}
	return &Cursors{sealer}, nil
}

// Walk is one list's way through its pages.
type Walk struct {
	cursors *Cursors
	scope   []byte
	Page    pg.Page
}

// Walk reads the paging parameters of a call to the named list with these filters.
func (c *Cursors) Walk(v viewer.Viewer, list string, p Paging, filters any) (*Walk, error) {
	// A filter struct of strings and numbers always encodes.
	encoded, err := json.Marshal(filters)
	if err != nil {
		return nil, fmt.Errorf("encode filters of %s: %w", list, err)
	}
	sum := sha256.Sum256([]byte(v.Tenant + "\n" + string(v.Kind) + v.ID + "\n" + list + "\n" + string(encoded)))
	w := &Walk{cursors: c, scope: sum[:], Page: pg.Page{Limit: min(int(p.Limit), MaxLimit), Offset: int(p.Offset)}}
	if p.Cursor == "" {
		return w, nil
	}
	if p.Offset != 0 {
		return nil, fault.Coded(fault.Malformed, "conflicting_parameters", "give either cursor or offset, not both")
	}
	w.Page.After, err = c.sealer.Open(p.Cursor, w.scope)
	return w, err
}

// Next is the cursor that continues after the row with this sort key and id.
func (w *Walk) Next(after ...string) *string {
	token, err := w.cursors.sealer.Seal(after, w.scope)
	if err != nil {
		return nil
	}
	return &token
}

// Out builds the envelope. items may hold one row more than the limit, which shows that there is a next page; key gives
// the sort key and id of a row.
func Out[T any](w *Walk, items []T, total int64, key func(T) []string) *ListOut[T] {
	out := &ListOut[T]{Body: List[T]{Items: items, Total: total, Limit: w.Page.Limit, Offset: w.Page.Offset}}
	if len(items) > w.Page.Limit {
		out.Body.Items = items[:w.Page.Limit]
		out.Body.NextCursor = w.Next(key(items[w.Page.Limit-1])...)
	}
	if out.Body.Items == nil {
		out.Body.Items = []T{}
	}
	return out
}

package httpapi

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
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
type Cursors struct {
	aead cipher.AEAD
	now  func() time.Time
}

// cursorLife is how long a cursor can be used.
const cursorLife = 24 * time.Hour

// NewCursors takes 32 secret bytes.
func NewCursors(secret []byte, now func() time.Time) (*Cursors, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, fmt.Errorf("cursor key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("cursor key: %w", err)
	}
	return &Cursors{aead: aead, now: now}, nil
}

type position struct {
	Expires int64    `json:"e"`
	After   []string `json:"a"`
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
	w.Page.After, err = c.open(p.Cursor, w.scope)
	return w, err
}

func (c *Cursors) open(token string, scope []byte) ([]string, error) {
	invalid := fault.Coded(fault.Malformed, "invalid_cursor", "this cursor does not belong to this list, these "+
		"filters and this caller; start again without one").
		With(fault.Field{Parameter: "cursor", Code: "invalid_cursor", Detail: "take next_cursor from the page " +
			"before, unchanged"})
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil ||
		base64.RawURLEncoding.EncodeToString(sealed) != token { // one text for one cursor: no line ends, no spare bits
		return nil, invalid
	}
	plain, err := c.aead.Open(nil, nil, sealed, scope)
	if err != nil {
		return nil, invalid
	}
	var pos position
	if json.Unmarshal(plain, &pos) != nil {
		return nil, invalid
	}
	if c.now().Unix() > pos.Expires {
		return nil, fault.Coded(
			fault.Malformed,
			"cursor_expired",
			"this cursor is older than a day; start again without one",
		)
	}
	return pos.After, nil
}

// Next is the cursor that continues after the row with this sort key and id.
func (w *Walk) Next(after ...string) *string {
	plain, err := json.Marshal(position{Expires: w.cursors.now().Add(cursorLife).Unix(), After: after})
	if err != nil {
		return nil
	}
	token := base64.RawURLEncoding.EncodeToString(w.cursors.aead.Seal(nil, nil, plain, w.scope))
	return &token
}

// Out builds the envelope. items may hold one row more than the limit, which tells that there is a next page; key gives
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

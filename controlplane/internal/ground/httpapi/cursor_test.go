package httpapi_test

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

type walker struct {
	cursors *httpapi.Cursors
	now     time.Time
}

func newWalker(tb testing.TB) *walker {
	tb.Helper()
	w := &walker{now: still()}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	var err error
	if w.cursors, err = httpapi.NewCursors(key, func() time.Time { return w.now }); err != nil {
		tb.Fatal(err)
	}
	return w
}

func (w *walker) walk(cursor string) (*httpapi.Walk, error) {
	return w.cursors.Walk(
		viewer.Viewer{Tenant: "t", Kind: viewer.User, ID: "u"},
		"things",
		httpapi.Paging{Limit: 10, Cursor: cursor},
		"red",
	)
}

// cursor is one that continues after a row.
func (w *walker) cursor(tb testing.TB) string {
	tb.Helper()
	first, err := w.walk("")
	if err != nil {
		tb.Fatal(err)
	}
	return *first.Next("2026-01-02", "0198f5c3-4f9e-7a6b-8c1d-2e3f4a5b6c7d")
}

func TestACursorWithAnyBitChangedIsNone(t *testing.T) {
	w := newWalker(t)
	good := w.cursor(t)
	if got, err := w.walk(good); err != nil ||
		fmt.Sprint(got.Page.After) != "[2026-01-02 0198f5c3-4f9e-7a6b-8c1d-2e3f4a5b6c7d]" {
		t.Fatalf("unchanged: %v, %v", got, err)
	}
	refused := func(what, cursor string) {
		if _, err := w.walk(cursor); !fault.IsCode(err, "invalid_cursor") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range len(good) {
		for bit := range 8 {
			changed := []byte(good)
			changed[i] ^= 1 << bit
			refused(fmt.Sprintf("bit %d of letter %d", bit, i), string(changed))
		}
	}
	sealed, err := base64.RawURLEncoding.DecodeString(good)
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(sealed) * 8 {
		changed := append([]byte{}, sealed...)
		changed[i/8] ^= 1 << (i % 8)
		refused(fmt.Sprintf("bit %d of what is sealed", i), base64.RawURLEncoding.EncodeToString(changed))
	}
	for n := range len(good) - 1 {
		refused(fmt.Sprintf("cut to %d letters", n+1), good[:n+1])
	}
	for _, more := range []string{"A", "=", "\n", "\r\n", good} {
		refused(fmt.Sprintf("with %q behind", more), good+more)
	}
}

func TestACursorLivesADay(t *testing.T) {
	w := newWalker(t)
	cursor := w.cursor(t)
	w.now = w.now.Add(24 * time.Hour)
	if _, err := w.walk(cursor); err != nil {
		t.Errorf("after a day: %v", err)
	}
	w.now = w.now.Add(time.Second)
	if _, err := w.walk(cursor); !fault.IsCode(err, "cursor_expired") || !fault.Is(err, fault.Malformed) {
		t.Errorf("a second later: %v", err)
	}
}

func TestACursorBelongsToOneListOfOneCaller(t *testing.T) {
	w := newWalker(t)
	cursor := w.cursor(t)
	u := viewer.Viewer{Tenant: "t", Kind: viewer.User, ID: "u"}
	for name, tt := range map[string]struct {
		v       viewer.Viewer
		list    string
		filters any
		ok      bool
	}{
		"the same":           {u, "things", "red", true},
		"another tenant":     {viewer.Viewer{Tenant: "t2", Kind: viewer.User, ID: "u"}, "things", "red", false},
		"another subject":    {viewer.Viewer{Tenant: "t", Kind: viewer.User, ID: "u2"}, "things", "red", false},
		"another kind":       {viewer.Viewer{Tenant: "t", Kind: viewer.Service, ID: "u"}, "things", "red", false},
		"another list":       {u, "others", "red", false},
		"another filter":     {u, "things", "blue", false},
		"words that run on":  {viewer.Viewer{Tenant: "t", Kind: viewer.User, ID: "u\nthings"}, "", "red", false},
		"no filter any more": {u, "things", nil, false},
	} {
		_, err := w.cursors.Walk(tt.v, tt.list, httpapi.Paging{Limit: 7, Cursor: cursor}, tt.filters)
		if (err == nil) != tt.ok || (err != nil && !fault.IsCode(err, "invalid_cursor")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzCursorsThatAreNotOursAreRefused(f *testing.F) {
	w := newWalker(f)
	good := w.cursor(f)
	for _, seed := range []string{"", "abc", good, good[:len(good)-1], good + good, "{}", "\x00",
		"eyJlIjo5OTk5OTk5OTk5LCJhIjpbXX0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		_, err := w.walk(cursor)
		if mine := cursor == "" || cursor == good; mine != (err == nil) {
			t.Errorf("%q: %v", cursor, err)
		}
	})
}

package connectortest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/protocol/schema/schematest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// whole reads everything, and checks what it is made of: valid pages, records that come once, and
// attestations whose counts are right. The other checks compare with it.
func (c *checks) whole(t *testing.T) {
	r, err := c.read(t, c.request(v1.SyncOptions{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	c.first = r
	if len(r.Records) < c.Least {
		t.Errorf("%d records; want %d at least", len(r.Records), c.Least)
	}
	if len(r.Twice) > 0 {
		t.Errorf("these came twice with different content: %v", r.Twice[:min(5, len(r.Twice))])
	}
	for i, chunk := range r.Chunks {
		valid(t, "sync_response", chunk)
		if more := i < len(r.Chunks)-1; chunk.Page == nil || chunk.Page.HasMore != more {
			t.Errorf("chunk %d of %d has page %+v", i+1, len(r.Chunks), chunk.Page)
		}
	}
	for _, kind := range kinds {
		n := r.Count(kind)
		scope, there := r.scope(kind)
		if n > 0 && !there {
			t.Errorf("%d %s, but nothing is attested of them", n, kind)
		}
		if there && scope.Complete && scope.Count != n {
			t.Errorf("%s: %d attested, %d delivered", kind, scope.Count, n)
		}
	}
	resolved(t, r)
}

// resolved checks that what names another record by its key names one that came.
func resolved(t *testing.T, r *Reading) {
	t.Helper()
	for _, chunk := range r.Chunks {
		for _, g := range chunk.Grants {
			if _, there := r.Records["entitlements "+g.EntitlementExternalID]; !there {
				t.Errorf("grant %s points to no entitlement", grantKey(g))
			}
			if g.AccountExternalID != nil {
				if _, there := r.Records["accounts "+*g.AccountExternalID]; !there {
					t.Errorf("grant %s points to no account", grantKey(g))
				}
			}
		}
		for _, a := range chunk.Accounts {
			if a.IdentityExternalID == nil {
				continue
			}
			if _, there := r.Records["identities "+*a.IdentityExternalID]; !there {
				t.Errorf("account %s points to no person", a.ExternalID)
			}
		}
	}
}

// valid holds a document against a schema of the protocol.
func valid(t *testing.T, schema string, document any) {
	t.Helper()
	text, err := json.Marshal(document)
	if err == nil {
		err = schematest.Validate(schema, text)
	}
	if err != nil {
		t.Errorf("%.600s", err)
	}
}

// twice reads everything again. Nothing may differ.
func (c *checks) twice(t *testing.T) {
	want := c.reference(t)
	got, err := c.read(t, c.request(v1.SyncOptions{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the second read differs", want.Records, got.Records)
}

// capped reads with max_records. Such a read must attest nothing and give no cursor.
func (c *checks) capped(t *testing.T) {
	c.reference(t)
	most := 3
	got, err := c.read(t, c.request(v1.SyncOptions{MaxRecords: &most}), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []v1.ObjectKind{v1.Identities, v1.Accounts} {
		if n := got.Count(kind); n > most {
			t.Errorf("%d %s came; asked for %d", n, kind, most)
		}
	}
	if got.Last.Cursor != "" {
		t.Error("a capped read gives a cursor, from which the rest would never be read")
	}
	if c.first.Count(v1.Identities) <= most && c.first.Count(v1.Accounts) <= most {
		return
	}
	for _, s := range got.Last.Scopes {
		if s.Complete {
			t.Errorf("a capped read attests %+v", s)
		}
	}
}

// slow reads with a receiver that is slower than the target.
func (c *checks) slow(t *testing.T) {
	want := c.reference(t)
	n := 0
	got, err := c.read(t, c.request(v1.SyncOptions{}), func(v1.SyncResponse) error {
		if n++; n <= 5 {
			time.Sleep(200 * time.Millisecond) // longer than a page takes
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "what a slow receiver got differs", want.Records, got.Records)
}

// failing reads with a receiver that fails. The read must end with that very error.
func (c *checks) failing(t *testing.T) {
	full := errors.New("the receiver is full")
	_, err := c.read(t, c.request(v1.SyncOptions{}), func(v1.SyncResponse) error { return full })
	if !errors.Is(err, full) {
		t.Errorf("the read ended with %v", err)
	}
}

// soon is how long a connector may take to notice that it is not wanted any more.
const soon = 10 * time.Second

// cancelled cancels a read after its first chunk. It must end soon, and not as if it were whole.
func (c *checks) cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var at time.Time
	r, err := Read(ctx, c.Connector, c.request(v1.SyncOptions{}), func(v1.SyncResponse) error {
		if at.IsZero() {
			at = time.Now()
			cancel()
		}
		return nil
	})
	c.hear(r.Chunks, err)
	switch {
	case at.IsZero():
		t.Fatal("there was no chunk to cancel after")
	case err == nil && r.Last.HasMore:
		t.Error("the read ended without an error and without an end")
	case time.Since(at) > soon:
		t.Errorf("the read went on for %s after it was cancelled", time.Since(at))
	}
	if err != nil && len(r.Chunks) > 0 && !r.Last.HasMore {
		t.Error("a cancelled read passes for a whole one")
	}
}

// secrets looks for the secrets in everything that was emitted, returned or logged.
func (c *checks) secrets(t *testing.T) {
	said := c.seen.String()
	if c.Logged != nil {
		said += c.Logged()
	}
	if len(said) < 100 {
		t.Errorf("only %d bytes were said: nothing is proven", len(said))
	}
	for i, secret := range c.Secrets {
		if at := strings.Index(said, secret); at >= 0 {
			t.Errorf("secret %d is seen in: %s", i+1, strings.ReplaceAll(said[max(0, at-80):at], secret, "…"))
		}
	}
}

// checkpoints are the distinct ones of a read with how many chunks came up to each, at most n of them.
func checkpoints(r *Reading, n int) (at []int) {
	last := ""
	for i, chunk := range r.Chunks[:len(r.Chunks)-1] {
		if p := chunk.Page.Checkpoint; p != "" && p != last {
			at, last = append(at, i), p
		}
	}
	for len(at) > n {
		at = slices.Delete(at, len(at)/2, len(at)/2+1)
	}
	return at
}

// describe says how much was read.
func describe(r *Reading) string {
	return fmt.Sprintf("%d chunks, %d records, %d present", len(r.Chunks), len(r.Records), len(r.Present))
}

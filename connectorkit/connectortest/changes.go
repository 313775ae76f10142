package connectortest

import (
	"maps"
	"slices"
	"testing"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// resumed interrupts a read at several checkpoints and goes on from each: before and after together
// must be what one read gives, with the same attestations.
func (c *checks) resumed(t *testing.T) {
	want := c.reference(t)
	if len(want.Chunks) < 3 {
		t.Fatalf("the target is too small to be interrupted: %s", describe(want))
	}
	at := checkpoints(want, 8)
	if len(at) == 0 {
		t.Fatal("the read has no checkpoint: whoever is interrupted starts over")
	}
	for _, i := range at {
		req := c.request(v1.SyncOptions{Checkpoint: want.Chunks[i].Page.Checkpoint})
		rest, err := c.read(t, req, nil)
		if err != nil {
			t.Fatalf("from the checkpoint of chunk %d: %v", i+1, err)
		}
		before := &Reading{Records: map[string]string{}, Present: map[string]bool{}}
		for _, chunk := range want.Chunks[:i+1] {
			if err := before.add(chunk); err != nil {
				t.Fatal(err)
			}
		}
		all := maps.Clone(before.Records)
		maps.Copy(all, rest.Records)
		same(t, "what was read before and after differs", want.Records, all)
		for _, kind := range kinds {
			first, _ := want.scope(kind)
			if now, _ := rest.scope(kind); now != first {
				t.Errorf("from chunk %d: %+v is attested; the uninterrupted read attests %+v", i+1, now, first)
			}
		}
		if (want.Last.Cursor != "") != (rest.Last.Cursor != "") {
			t.Errorf(
				"from chunk %d: the cursor is %q; the uninterrupted read has %q",
				i+1,
				rest.Last.Cursor,
				want.Last.Cursor,
			)
		}
	}
	rest, err := c.read(t, c.request(v1.SyncOptions{Checkpoint: want.Chunks[at[len(at)-1]].Page.Checkpoint}), nil)
	if err == nil && len(rest.Records) >= len(want.Records) {
		t.Error("from the last checkpoint everything is read again")
	}
}

// unusable gives a checkpoint that the connector never made. It must read everything, with a
// warning.
func (c *checks) unusable(t *testing.T) {
	want := c.reference(t)
	got, err := c.read(t, c.request(v1.SyncOptions{Checkpoint: "no checkpoint of anybody"}), nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the read differs", want.Records, got.Records)
	if !warned(got, "checkpoint_unusable") {
		t.Error("nobody is told that the read started anew: want the warning checkpoint_unusable")
	}
}

// warned says whether a warning with the code came.
func warned(r *Reading, code string) bool {
	return slices.ContainsFunc(r.Chunks, func(chunk v1.SyncResponse) bool {
		return slices.ContainsFunc(chunk.Page.Warnings, func(w v1.Warning) bool { return w.Code == code })
	})
}

// incremental reads the changes since a cursor.
func (c *checks) incremental(t *testing.T, cursor string) (*Reading, error) {
	t.Helper()
	req := c.request(v1.SyncOptions{Cursor: cursor})
	req.Incremental = true
	return c.read(t, req, nil)
}

// changes changes the target and reads incrementally. What was changed must come, and what was
// deleted must be gone.
func (c *checks) changes(t *testing.T) {
	want := c.reference(t)
	if c.Change == nil {
		t.Log("the target cannot be changed here")
		return
	}
	if want.Last.Cursor == "" {
		t.Fatal("a whole read gives no cursor to go on from")
	}
	changed := c.Change(t)
	got, err := c.incremental(t, want.Last.Cursor)
	if err != nil {
		t.Fatal(err)
	}
	if got.Last.Read == nil || !got.Last.Read.Incremental || got.Last.Read.Strategy == "" {
		t.Fatalf("it was read as %+v", got.Last.Read)
	}
	for _, id := range changed.Accounts {
		if _, there := got.Records["accounts "+id]; !there {
			t.Errorf("the change of %s is missing (%s)", id, describe(got))
		}
	}
	for _, id := range changed.Gone {
		if !gone(got, id) {
			t.Errorf("nothing tells that %s has gone (%s)", id, describe(got))
		}
	}
	if changed.AtMost > 0 && len(got.Records) > changed.AtMost {
		t.Errorf("%d records came for a change of %d", len(got.Records), changed.AtMost)
	}
	if got.Last.Cursor == "" {
		t.Fatal("an incremental read gives no cursor to go on from")
	}
	again, err := c.incremental(t, got.Last.Cursor)
	if err != nil {
		t.Fatal(err)
	}
	if changed.AtMost > 0 && len(again.Records) > changed.AtMost {
		t.Errorf("%d records came although nothing changed", len(again.Records))
	}
}

// gone reports whether a read proves that an account is not there: by a tombstone, or by a complete scope without it.
func gone(r *Reading, id string) bool {
	for _, chunk := range r.Chunks {
		if slices.ContainsFunc(
			chunk.Accounts,
			func(a v1.RemoteAccount) bool { return a.ExternalID == id && a.Deleted },
		) {
			return true
		}
	}
	scope, _ := r.scope(v1.Accounts)
	_, read := r.Records["accounts "+id]
	return scope.Complete && !read && !r.Present["accounts "+id]
}

// badCursor gives a cursor that the connector never made. It must read everything and say why.
func (c *checks) badCursor(t *testing.T) {
	c.reference(t)
	got, err := c.incremental(t, "no cursor of anybody")
	if err != nil {
		t.Fatal(err)
	}
	if got.Last.Read == nil || got.Last.Read.Incremental || got.Last.Read.FallbackReason == "" {
		t.Errorf("it was read as %+v; want a whole read that says why", got.Last.Read)
	}
	if scope, _ := got.scope(v1.Accounts); !scope.Complete && len(got.Chunks) > 0 && c.first.Count(v1.Accounts) > 0 {
		t.Errorf("the whole read attests %+v", scope)
	}
}

// test runs the connection test three times. It must succeed, with steps, and change nothing.
func (c *checks) test(t *testing.T) {
	want := c.reference(t)
	for range 3 {
		answer, err := c.Connector.Test(
			t.Context(),
			v1.TestRequest{ConnectorBusinessID: "acceptance", AuthConfig: c.Auth},
			nil,
		)
		c.hear(answer, err)
		if err != nil || !answer.Success || len(answer.Steps) == 0 {
			t.Fatalf("success %v with %d steps, %v, %v", answer.Success, len(answer.Steps), answer.Error, err)
		}
		valid(t, "test_response", answer)
	}
	got, err := c.read(t, c.request(v1.SyncOptions{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "testing changed what is read", want.Records, got.Records)
}

// refused uses a wrong credential. The test must answer with an error of class auth, and the read
// must fail without a record.
func (c *checks) refused(t *testing.T) {
	if c.BadAuth == nil {
		t.Log("the target asks for no credentials")
		return
	}
	answer, err := c.Connector.Test(
		t.Context(),
		v1.TestRequest{ConnectorBusinessID: "acceptance", AuthConfig: c.BadAuth},
		nil,
	)
	c.hear(answer, err)
	switch {
	case err != nil:
		t.Errorf("a refusal is an answer, not an error: %v", err)
	case answer.Success || answer.Error == nil || answer.Error.Class != v1.ClassAuth || answer.Error.Message == "":
		t.Errorf("success %v, error %+v", answer.Success, answer.Error)
	}
	req := c.request(v1.SyncOptions{})
	req.AuthConfig = c.BadAuth
	r, err := c.read(t, req, nil)
	if err == nil || len(r.Records) > 0 {
		t.Errorf("a read with a wrong credential: %v, %s", err, describe(r))
	}
}

// discover describes the target twice. Equal targets must have equal digests.
func (c *checks) discover(t *testing.T) {
	ask := func() v1.DiscoverResponse {
		answer, err := c.Connector.Discover(
			t.Context(),
			v1.DiscoverRequest{ConnectorBusinessID: "acceptance", AuthConfig: c.Auth, SampleSize: 5},
			nil,
		)
		c.hear(answer, err)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	first := ask()
	valid(t, "discover_response", first)
	if !first.Success || len(first.Objects) == 0 {
		t.Errorf("success %v, %d objects", first.Success, len(first.Objects))
	}
	if second := ask(); first.SchemaDigest == "" || first.SchemaDigest != second.SchemaDigest {
		t.Errorf("the digest of the schema is %q, then %q", first.SchemaDigest, second.SchemaDigest)
	}
}

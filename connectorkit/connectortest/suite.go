// Package connectortest is the acceptance suite that every connector passes, whoever wrote it and wherever it runs: in
// this process, through an agent, or behind a wire of its own. It speaks to a real target through the Connector
// interface alone.
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

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Subject is what the suite is run against.
type Subject struct {
	// Connector is opened against the target. It must be usable by several calls at once.
	Connector connectorkit.Connector

	// Auth reaches the target, BadAuth differs from it in a credential that the target refuses. Nil BadAuth: the target
	// asks for none, and the check is left out.
	Auth, BadAuth v1.AuthConfig

	// Secrets are the values of Auth and BadAuth that must never be seen. Give each a value that stands nowhere else.
	Secrets []string

	// Logged is what the connector has logged so far; nil: nothing is kept.
	Logged func() string

	// Least is how many records a whole read has at least, all kinds together, so that an empty target proves nothing.
	Least int

	// Change changes the target and says what an incremental read must tell. Nil: the check is left out.
	Change func(t *testing.T) Changed

	// Chunk is the chunk size the suite reads with; 0: 25. Several chunks are needed for what happens between them.
	Chunk int
}

// Changed is what a change of the target means, by external_id.
type Changed struct {
	Accounts []string // added or changed
	Gone     []string // accounts that are not there any more
	AtMost   int      // records that may come in all; 0: no bound
}

// Run runs the suite. Every check is a subtest with a sentence for its name.
func Run(t *testing.T, s Subject) {
	if s.Chunk == 0 {
		s.Chunk = 25
	}
	c := &checks{Subject: s}
	for _, check := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"a whole read is valid, complete and counted", c.whole},
		{"two whole reads are the same", c.twice},
		{"a test succeeds, names its steps and changes nothing", c.test},
		{"a wrong credential is refused as one", c.refused},
		{"discovery is valid and says the same twice", c.discover},
		{"a cap proves nothing complete", c.capped},
		{"a slow receiver loses nothing", c.slow},
		{"a receiver that fails ends the read with its error", c.failing},
		{"a cancelled read ends soon and proves nothing", c.cancelled},
		{"a read goes on from every checkpoint", c.resumed},
		{"a checkpoint that nobody can read starts the read anew", c.unusable},
		{"changes are read alone", c.changes},
		{"a cursor that nobody can read leads to a whole read", c.badCursor},
		{"no secret is seen anywhere", c.secrets},
	} {
		t.Run(check.name, func(t *testing.T) { check.run(t) })
	}
}

// checks are the checks of one subject, with what they share. seen is everything that the connector
// has said.
type checks struct {
	Subject
	first *Reading // the first whole read
	seen  strings.Builder
}

// Reading is what a read brought.
type Reading struct {
	Chunks  []v1.SyncResponse
	Records map[string]string // by kind and external_id: the record as JSON
	Twice   []string          // keys that came more than once
	Present map[string]bool   // by kind and external_id
	Last    *v1.Page
}

// add adds a page, and notes records that came twice with other content.
func (r *Reading) add(page v1.SyncResponse) error {
	r.Chunks = append(r.Chunks, page)
	r.Last = page.Page
	put := func(kind v1.ObjectKind, id string, record any) error {
		text, err := json.Marshal(record)
		if err != nil {
			return fmt.Errorf("encode a record: %w", err)
		}
		key := string(kind) + " " + id
		if old, there := r.Records[key]; there && old != string(text) {
			r.Twice = append(r.Twice, key)
		}
		r.Records[key] = string(text)
		return nil
	}
	var errs []error
	for _, x := range page.Identities {
		errs = append(errs, put(v1.Identities, x.ExternalID, x))
	}
	for _, x := range page.Accounts {
		errs = append(errs, put(v1.Accounts, x.ExternalID, x))
	}
	for _, x := range page.Entitlements {
		errs = append(errs, put(v1.Entitlements, x.ExternalID, x))
	}
	for _, x := range page.Grants {
		errs = append(errs, put(v1.Grants, grantKey(x), x))
	}
	if page.Page != nil {
		for _, p := range page.Page.Present {
			for _, id := range p.ExternalIDs {
				r.Present[string(p.Kind)+" "+id] = true
			}
		}
	}
	return errors.Join(errs...)
}

// grantKey identifies a grant by its principal and entitlement.
func grantKey(g v1.RemoteGrant) string {
	principal := ""
	switch {
	case g.AccountExternalID != nil:
		principal = *g.AccountExternalID
	case g.PrincipalEntitlementExternalID != nil:
		principal = "entitlement:" + *g.PrincipalEntitlementExternalID
	case g.PrincipalRef != nil:
		principal = string(g.PrincipalRef.Kind) + ":" + g.PrincipalRef.Value
	}
	return principal + " > " + g.EntitlementExternalID
}

// Count is the number of distinct records of a kind.
func (r *Reading) Count(kind v1.ObjectKind) int {
	n := 0
	for key := range r.Records {
		if strings.HasPrefix(key, string(kind)+" ") {
			n++
		}
	}
	return n
}

// scope is what the read attests of a whole kind.
func (r *Reading) scope(kind v1.ObjectKind) (v1.Scope, bool) {
	if r.Last == nil {
		return v1.Scope{}, false
	}
	i := slices.IndexFunc(r.Last.Scopes, func(s v1.Scope) bool { return s.Kind == kind && s.Key == "*" })
	if i < 0 {
		return v1.Scope{}, false
	}
	return r.Last.Scopes[i], true
}

// kinds are the kinds of record, in the order of the protocol.
var kinds = []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants}

// Read reads a target in chunks, the way the service does. A nil each takes all.
func Read(
	ctx context.Context,
	c connectorkit.Connector,
	req v1.SyncRequest,
	each func(v1.SyncResponse) error,
) (*Reading, error) {
	r := &Reading{Records: map[string]string{}, Present: map[string]bool{}}
	err := connectorkit.Sync(
		ctx,
		c,
		req,
		connectorkit.LimitsOf(req, 0),
		func(_ context.Context, page v1.SyncResponse) error {
			if err := r.add(page); err != nil {
				return err
			}
			if each != nil {
				return each(page)
			}
			return nil
		},
	)
	return r, err
}

// request is the request of a read with the subject's settings.
func (c *checks) request(o v1.SyncOptions) v1.SyncRequest {
	o.ChunkSize = c.Chunk
	return v1.SyncRequest{ConnectorBusinessID: "acceptance", AuthConfig: c.Auth, Options: &o}
}

// read reads and keeps what was said, for the search for secrets.
func (c *checks) read(t *testing.T, req v1.SyncRequest, each func(v1.SyncResponse) error) (*Reading, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := Read(ctx, c.Connector, req, each)
	c.hear(r.Chunks, err)
	return r, err
}

// patience bounds every call. It is no measure of speed.
const patience = 3 * time.Minute

// hear keeps answers and errors of the connector, for the search for secrets.
func (c *checks) hear(said ...any) {
	for _, s := range said {
		if err, is := s.(error); is {
			fmt.Fprintln(&c.seen, err)
			var d *v1.ErrorDetail
			if errors.As(err, &d) {
				s = d
			}
		}
		text, err := json.Marshal(s)
		if err != nil {
			text = []byte(err.Error())
		}
		c.seen.Write(text)
		c.seen.WriteByte('\n')
	}
}

// reference is the first whole read; checks that need it fail without it.
func (c *checks) reference(t *testing.T) *Reading {
	t.Helper()
	if c.first == nil {
		t.Fatal("there is no whole read to compare with")
	}
	return c.first
}

// same compares two sets of records.
func same(t *testing.T, what string, want, got map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-first +this):\n%.3000s", what, diff)
	}
}

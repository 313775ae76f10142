package connectortest_test

import (
	"context"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/connectorkit/connectors"
	"github.com/grantwright/grantwright/connectorkit/connectortest"
	"github.com/grantwright/grantwright/connectorkit/connectortest/badtarget"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// connector opens one as an agent does: plain HTTP is allowed, nothing is guarded. Each has rate budgets and circuits
// of its own.
func connector(t *testing.T, kind string) connectorkit.Connector {
	t.Helper()
	dialer := &net.Dialer{}
	c, err := connectors.Open(connectorkit.Env{
		Dial:      dialer.DialContext,
		Now:       time.Now,
		Plaintext: func(context.Context, string) (bool, error) { return false, nil },
	}, kind)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// both runs a check against the SCIM and the REST side of a target.
func both(
	t *testing.T,
	k badtarget.Kind,
	run func(t *testing.T, b *badtarget.Target, r *connectortest.Reading, err error),
) {
	t.Helper()
	for _, side := range []struct {
		kind, path string
		auth       func(*badtarget.Target) map[string]any
	}{
		{catalog.SCIM2, "/Users", (*badtarget.Target).SCIM}, {catalog.REST, "/users", (*badtarget.Target).REST},
	} {
		t.Run(side.kind+" "+string(k), func(t *testing.T) {
			t.Parallel()
			b := badtarget.Start(t, 100, badtarget.Fault{Kind: k, Path: side.path, At: 3})
			auth := side.auth(b)
			auth["timeout_s"] = 5
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			req := v1.SyncRequest{AuthConfig: auth, Options: &v1.SyncOptions{ChunkSize: 30}}
			r, err := connectortest.Read(ctx, connector(t, side.kind), req, nil)
			if ctx.Err() != nil {
				t.Errorf("the read does not end: %v", err)
			}
			run(t, b, r, err)
			b.Must(t)
			if b.Elsewhere > 0 {
				t.Error("the token was sent to another host")
			}
			if err != nil && strings.Contains(err.Error(), b.Token) {
				t.Errorf("the error shows the token: %v", err)
			}
		})
	}
}

func TestWhatPassesIsOvercome(t *testing.T) {
	for _, k := range badtarget.Recoverable {
		both(t, k, func(t *testing.T, b *badtarget.Target, r *connectortest.Reading, err error) {
			if err != nil || len(r.Records) != b.Whole() {
				t.Fatalf("%d of %d records, %v", len(r.Records), b.Whole(), err)
			}
			for _, s := range r.Last.Scopes {
				if !s.Complete {
					t.Errorf("%+v", s)
				}
			}
		})
	}
}

func TestWhatDoesNotPassNeverLooksComplete(t *testing.T) {
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	t.Run("faults", func(t *testing.T) {
		for _, k := range badtarget.Fatal {
			both(t, k, func(t *testing.T, _ *badtarget.Target, r *connectortest.Reading, err error) {
				if err != nil {
					return
				}
				for _, s := range r.Last.Scopes { // whoever asked again and got all may say so
					if s.Complete && (s.Kind == v1.Accounts || s.Kind == v1.Identities) && r.Count(s.Kind) != 100 {
						t.Errorf("nothing was said, and %+v is attested", s)
					}
				}
			})
		}
	})
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	if grown := int64(after.Sys) - int64(before.Sys); grown > 512<<20 {
		t.Errorf("the faults took %d MiB of memory", grown>>20)
	}
}

func TestOneBadRecordCostsNoOther(t *testing.T) {
	for _, k := range badtarget.Poison {
		both(t, k, func(t *testing.T, b *badtarget.Target, r *connectortest.Reading, err error) {
			// Three pages hold one bad record each: a person and an account.
			if err != nil || len(r.Records) < b.Whole()-2*3 {
				t.Fatalf("%d of %d records, %v", len(r.Records), b.Whole(), err)
			}
			whole := 0
			for _, s := range r.Last.Scopes {
				if s.Kind == v1.Accounts && s.Complete {
					whole = s.Count
				}
			}
			if whole > 0 && whole != 100 {
				t.Errorf("accounts are attested complete with %d of 100", whole)
			}
		})
	}
}

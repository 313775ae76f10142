package sso

import (
	"bytes"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

// A browser may begin at a process that was there before the master key was replaced, and come back to one that knows
// the new key alone.
func TestASignInWithAProviderOutlivesTheMasterKey(t *testing.T) {
	db := pgtest.New(t)
	first, second := bytes.Repeat([]byte{9}, 32), bytes.Repeat([]byte{8}, 32)
	process := func(keys ...[]byte) (*Service, *seal.Keyring) {
		ring, err := seal.New(keys...)
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(t.Context(), db, ring, Service{Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		return s, ring
	}
	before, _ := process(first)
	_, both := process(second, first)
	if _, err := (&seal.Rotation{DB: db, Ring: both}).Master(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	after, _ := process(second)
	if began, ends := before.secretsOf("state"), after.secretsOf("state"); began != ends {
		t.Errorf("nonce and verifier are others after the master key was replaced")
	}
	stranger, err := seal.New(second)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(after.key, stranger.Derive(seal.SignIns)) {
		t.Error("the key follows from the new master key: it was not kept")
	}
}

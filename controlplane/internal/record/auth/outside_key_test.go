package auth

import (
	"bytes"
	"log/slog"
	"testing"

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
		s, err := New(ctx, db, ring, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return s, ring
	}
	before, _ := process(first)
	_, both := process(second, first)
	if _, err := (&seal.Rotation{DB: db, Ring: both}).Master(ctx, nil); err != nil {
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
	if bytes.Equal(after.outsideKey, stranger.Derive(seal.SignIns)) {
		t.Error("the key follows from the new master key: it was not kept")
	}
}

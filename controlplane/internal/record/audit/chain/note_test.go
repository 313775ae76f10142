package chain_test

import (
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

func key(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune(seed)), ed25519.SeedSize)))
}

func public(k ed25519.PrivateKey) ed25519.PublicKey { return k.Public().(ed25519.PublicKey) }

func TestACheckpointOpensUnderItsOwnKeyAndNameAlone(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := chain.Checkpoint{Origin: chain.Origin("t1"), Seq: 7, Hash: chain.Genesis, At: at}
	note := c.Sign(key('a'))
	if want := "grantwright/t1\n7\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\nat 2026-01-02T03:04:05Z\n\n— " +
		"grantwright/t1 "; !strings.HasPrefix(
		note,
		want,
	) {
		t.Errorf("note = %q", note)
	}
	got, err := chain.OpenCheckpoint(c.Origin, note, public(key('b')), public(key('a')))
	if err != nil || got.Seq != 7 || string(got.Hash) != string(c.Hash) || !got.At.Equal(at) {
		t.Errorf("opened %+v, %v", got, err)
	}
	for name, bad := range map[string]string{
		"another number": strings.Replace(note, "\n7\n", "\n8\n", 1),
		"another log":    strings.ReplaceAll(note, "t1", "t2"), "no signature": strings.SplitAfter(note, "\n\n")[0],
		"nothing": "", "another hash": strings.Replace(note, "AAAA", "BBBB", 1),
	} {
		if _, err := chain.OpenCheckpoint(c.Origin, bad, public(key('a'))); err == nil {
			t.Errorf("%s opens", name)
		}
	}
	if _, err := chain.OpenCheckpoint(c.Origin, note, public(key('b'))); !errors.Is(err, chain.ErrSignature) {
		t.Errorf("another key: %v", err)
	}
}

func TestPublicKeysAreReadInEveryForm(t *testing.T) {
	k := public(key('a'))
	asPEM, err := chain.PEM(k)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{asPEM, chain.VerifierKey("grantwright/t1", k), "YWFh" + strings.Repeat("x", 3),
		"PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"} {
		got, err := chain.ParseKey(text)
		switch {
		case strings.HasPrefix(text, "YWFh"):
			if err == nil {
				t.Errorf("%q is no key", text)
			}
		case err != nil:
			t.Errorf("%q: %v", text, err)
		case !strings.HasPrefix(text, "Peter") && !got.Equal(k):
			t.Errorf("%q is another key", text)
		}
	}
}

// The example of golang.org/x/mod/sumdb/note, which C2SP's specification describes.
func TestNotesOfOtherToolsOpen(t *testing.T) {
	k, err := chain.ParseKey("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
	if err != nil {
		t.Fatal(err)
	}
	const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
	const note = text + "\n— PeterNeumann " +
		"x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
	if got, err := chain.OpenNote("PeterNeumann", note, k); err != nil || got != text {
		t.Errorf("opened %q, %v", got, err)
	}
	if chain.VerifierKey("PeterNeumann", k) != "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW" {
		t.Error("the key is written in another way than it was read")
	}
}

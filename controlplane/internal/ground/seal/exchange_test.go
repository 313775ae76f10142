package seal_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

func keyFile(t *testing.T, keys ...[]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "master.key")
	var text string
	for _, key := range keys {
		text += "# a key\n" + base64.StdEncoding.EncodeToString(key) + "\n\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func fill(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }

func TestTheFirstOfSeveralKeysSealsAndAllOpen(t *testing.T) {
	old, both := keyring(t, 1), must(seal.New(fill(2), fill(1)))
	byOld := must(old.SealGlobal("p", []byte(canary)))
	if plain, err := both.OpenGlobal("p", byOld); err != nil || string(plain) != canary {
		t.Errorf("what the second key sealed opens as %q, %v", plain, err)
	}
	byBoth := must(both.SealGlobal("p", []byte(canary)))
	if _, err := old.OpenGlobal("p", byBoth); !errors.Is(err, seal.ErrOtherMasterKey) {
		t.Errorf("the old key opens what the new one sealed: %v", err)
	}
	if got, want := masterOf(byBoth), both.Masters()[0]; got != want {
		t.Errorf("sealed under %s; want the first, %s", got, want)
	}
	if !bytes.Equal(both.Derive("x"), old.Derive("x")) {
		t.Error("a key added in front changes what is derived")
	}
	if _, err := seal.New(fill(1), fill(1)); err == nil {
		t.Error("one key twice was accepted")
	}
	if _, err := seal.New(); err == nil {
		t.Error("no key at all was accepted")
	}
}

func TestAKeyThatIsAddedToTheFileIsKnownWithoutARestart(t *testing.T) {
	path := keyFile(t, fill(1))
	running := must(seal.OpenFiles(path))
	newFile := filepath.Join(t.TempDir(), "new.key")
	added := must(seal.AddToFile(path, newFile, false))

	elsewhere := must(seal.OpenFiles(newFile))
	byNew := must(elsewhere.SealGlobal("p", []byte(canary)))
	if plain, err := running.OpenGlobal("p", byNew); err != nil || string(plain) != canary {
		t.Errorf("the running process opens what the new key sealed as %q, %v", plain, err)
	}
	if got := masterOf(must(running.SealGlobal("p", nil))); got == added {
		t.Error("a key that was added last seals")
	}
	if again := must(seal.AddToFile(path, newFile, true)); again != added {
		t.Errorf("the same file has the fingerprints %s and %s", added, again)
	}
	if got := masterOf(must(running.SealGlobal("p", nil))); got != added {
		t.Errorf("after the new key came first, %s seals; want %s", got, added)
	}
	if diff := cmp.Diff([]seal.Fingerprint{added, keyring(t, 1).Masters()[0]}, running.Masters()); diff != "" {
		t.Errorf("master keys (-want +got):\n%s", diff)
	}
	if err := seal.RemoveFromFile(path, keyring(t, 1).Masters()[0]); err != nil {
		t.Fatal(err)
	}
	if err := seal.RemoveFromFile(path, added); err == nil {
		t.Error("the last key was removed")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key file is %v, %v; want 0600", info, err)
	}
}

func TestAKeyFileThatWasDamagedLeavesTheKeysInUse(t *testing.T) {
	path := keyFile(t, fill(1))
	running := must(seal.OpenFiles(path))
	sealed := must(running.SealGlobal("p", []byte(canary)))
	if err := os.WriteFile(path, []byte("half a ke"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := running.SealGlobal("p", []byte(canary)); err != nil {
		t.Errorf("sealing beside a damaged file: %v", err)
	}
	if plain, err := running.OpenGlobal("p", sealed); err != nil || string(plain) != canary {
		t.Errorf("opening beside a damaged file: %q, %v", plain, err)
	}
	if _, err := seal.OpenFiles(path); err == nil {
		t.Error("a damaged file was opened anew")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// masterOf is the fingerprint of the master key that sealed a value.
func masterOf(sealed []byte) seal.Fingerprint {
	return seal.Fingerprint(hex.EncodeToString(sealed[1:5]))
}

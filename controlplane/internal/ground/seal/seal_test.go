package seal_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

var ctx = context.Background()

const canary = "CANARY-4f1b-secret"

func keyring(t *testing.T, fill byte) *seal.Keyring {
	t.Helper()
	k, err := seal.New(bytes.Repeat([]byte{fill}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestASecretPrintsAsNothing(t *testing.T) {
	s := seal.Secret(canary)
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "s", s, "in", struct{ S seal.Secret }{s})
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "s", s, "in", []any{s})
	asJSON, err := json.Marshal(map[string]any{"s": []seal.Secret{s}, "p": &s})
	if err != nil {
		t.Fatal(err)
	}
	printed := log.String() + string(asJSON) + s.String()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		printed += fmt.Sprintf(verb, s) + fmt.Sprintf(verb, struct{ S seal.Secret }{s})
	}
	if strings.Contains(printed, canary) || strings.Contains(printed, fmt.Sprintf("%x", canary)) {
		t.Errorf("the secret was printed: %s", printed)
	}
	if !strings.Contains(printed, "[secret]") || s.Reveal() != canary {
		t.Errorf("printed %q, revealed %q", printed, s.Reveal())
	}
	var back seal.Secret
	if err := json.Unmarshal([]byte(`"`+canary+`"`), &back); err != nil || back != s {
		t.Errorf("a secret that came as JSON is %q, %v", back.Reveal(), err)
	}
}

func TestKeyFileIsMadeOnceAndForItsOwnerAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys", "master.key")
	derived := make([][]byte, 8)
	var wg sync.WaitGroup
	for i := range derived {
		wg.Go(func() {
			k, err := seal.OpenOrCreateFile(path)
			if err != nil {
				t.Error(err)
				return
			}
			derived[i] = k.Derive("cursor")
		})
	}
	wg.Wait()
	for _, d := range derived {
		if !bytes.Equal(d, derived[0]) || len(d) != 32 {
			t.Errorf("processes that started together have keys %x and %x", d, derived[0])
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v; want the key alone", entries, err)
	}
	if info, err := os.Stat(path); err != nil || (runtime.GOOS != "windows" && info.Mode().Perm() != 0o600) {
		t.Errorf("the key file is %v, %v; want 0600", info, err)
	}
}

func TestKeyFileMayBeRawHexOrBase64(t *testing.T) {
	raw := bytes.Repeat([]byte{0xA5}, 32)
	want := keyring(t, 0xA5).Derive("x")
	tests := map[string]struct {
		content string
		ok      bool
	}{
		"raw":       {string(raw), true},
		"hex":       {fmt.Sprintf("%x\n", raw), true},
		"base64":    {base64.StdEncoding.EncodeToString(raw) + "\n", true},
		"too short": {"c2hvcnQ=", false},
		"empty":     {"", false},
		"zero":      {strings.Repeat("00", 32), false},
	}
	for name, tt := range tests {
		path := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
			t.Fatal(err)
		}
		k, err := seal.OpenOrCreateFile(path)
		switch {
		case (err == nil) != tt.ok:
			t.Errorf("%s: err = %v; want ok %v", name, err, tt.ok)
		case err == nil && !bytes.Equal(k.Derive("x"), want):
			t.Errorf("%s: another key was read", name)
		case err != nil && tt.content != "" && strings.Contains(err.Error(), tt.content):
			t.Errorf("%s: the error quotes the key: %v", name, err)
		}
	}
}

func TestGlobalValuesOpenForTheirPurposeAlone(t *testing.T) {
	k := keyring(t, 1)
	sealed, err := k.SealGlobal("signing-key|api", []byte(canary))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := k.OpenGlobal("signing-key|api", sealed); err != nil || string(plain) != canary {
		t.Errorf("OpenGlobal = %q, %v", plain, err)
	}
	if bytes.Contains(sealed, []byte(canary)) {
		t.Error("the sealed value holds the text")
	}
	if _, err := k.OpenGlobal("signing-key|agent", sealed); !errors.Is(err, seal.ErrBroken) {
		t.Errorf("another purpose: %v; want ErrBroken", err)
	}
	if _, err := keyring(t, 2).OpenGlobal("signing-key|api", sealed); !errors.Is(err, seal.ErrOtherMasterKey) {
		t.Errorf("another master key: %v; want ErrOtherMasterKey", err)
	}
	for i := range sealed {
		bent := bytes.Clone(sealed)
		bent[i] ^= 1
		if _, err := k.OpenGlobal("signing-key|api", bent); err == nil {
			t.Errorf("a value with byte %d changed opens", i)
		}
	}
	for n := range sealed {
		if _, err := k.OpenGlobal("signing-key|api", sealed[:n]); err == nil {
			t.Errorf("the first %d bytes open", n)
		}
	}
}

func sealed(t *testing.T, db *pg.DB, k *seal.Keyring, v viewer.Viewer, p seal.Place) []byte {
	t.Helper()
	var out []byte
	err := db.As(ctx, v, func(tx *pg.Tx) (err error) {
		out, err = k.Seal(ctx, tx, p, []byte(canary))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func open(db *pg.DB, k *seal.Keyring, v viewer.Viewer, p seal.Place, value []byte) (plain []byte, err error) {
	err = db.As(ctx, v, func(tx *pg.Tx) (err error) {
		plain, err = k.Open(ctx, tx, p, value)
		return err
	})
	return plain, err
}

func TestAValueThatWasMovedDoesNotOpen(t *testing.T) {
	db := pgtest.New(t)
	a, b := pgtest.Tenant(t, db, "a"), pgtest.Tenant(t, db, "b")
	k := keyring(t, 7)
	place := seal.Place{Table: "connector", Column: "credentials", Row: "row-1"}
	value := sealed(t, db, k, a, place)
	sealed(t, db, k, b, place) // b has a data key of the same version

	restarted := keyring(t, 7)
	if plain, err := open(db, restarted, a, place, value); err != nil || string(plain) != canary {
		t.Fatalf("Open = %q, %v", plain, err)
	}
	moved := map[string]seal.Place{
		"row":    {Table: "connector", Column: "credentials", Row: "row-2"},
		"column": {Table: "connector", Column: "other", Row: "row-1"},
		"table":  {Table: "agent_task", Column: "credentials", Row: "row-1"},
	}
	for name, p := range moved {
		if _, err := open(db, k, a, p, value); !errors.Is(err, seal.ErrBroken) {
			t.Errorf("moved to another %s: %v; want ErrBroken", name, err)
		}
	}
	if _, err := open(db, k, b, place, value); !errors.Is(err, seal.ErrBroken) {
		t.Errorf("moved to another tenant: %v; want ErrBroken", err)
	}
	if _, err := open(db, keyring(t, 8), a, place, value); !errors.Is(err, seal.ErrOtherMasterKey) {
		t.Errorf("another master key: %v; want ErrOtherMasterKey", err)
	}
	ambiguous := seal.Place{Table: "connector|credentials", Column: "x", Row: "1"}
	if _, err := open(db, k, a, ambiguous, value); err == nil {
		t.Error("a place with a bar in it was accepted")
	}
}

func TestADataKeyThatWasRolledBackIsForgotten(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "a")
	k := keyring(t, 7)
	place := seal.Place{Table: "t", Column: "c", Row: "r"}
	giveUp := errors.New("give up")
	err := db.As(ctx, v, func(tx *pg.Tx) error {
		for range 2 {
			if _, err := k.Seal(ctx, tx, place, []byte("x")); err != nil {
				return err
			}
		}
		return giveUp
	})
	if !errors.Is(err, giveUp) {
		t.Fatal(err)
	}
	value := sealed(t, db, k, v, place)
	if plain, err := open(db, keyring(t, 7), v, place, value); err != nil || string(plain) != canary {
		t.Errorf("after a restart: %q, %v; the value was sealed under a key that was never committed", plain, err)
	}
}

func TestTenantsFirstSecretsSealedTogetherShareOneKey(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "a")
	place := seal.Place{Table: "t", Column: "c", Row: "r"}
	values := make([][]byte, 6)
	var wg sync.WaitGroup
	for i := range values {
		k := keyring(t, 7) // each its own process
		wg.Go(func() { values[i] = sealed(t, db, k, v, place) })
	}
	wg.Wait()
	for i, value := range values {
		if plain, err := open(db, keyring(t, 7), v, place, value); err != nil || string(plain) != canary {
			t.Errorf("value %d: %q, %v", i, plain, err)
		}
	}
}

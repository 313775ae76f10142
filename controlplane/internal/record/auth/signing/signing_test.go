package signing

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

func open(t *testing.T, db *pg.DB) *Signer {
	t.Helper()
	ring, err := seal.New(bytes.Repeat([]byte{9}, 32))
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSigner(t.Context(), db, ring, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func encode(raw string) string { return base64.RawURLEncoding.EncodeToString([]byte(raw)) }

func TestProcessesThatStartTogetherShareTheirKeys(t *testing.T) {
	db := pgtest.New(t)
	signers := make([]*Signer, 4)
	var wg sync.WaitGroup
	for i := range signers {
		wg.Go(func() { signers[i] = open(t, db) })
	}
	wg.Wait()
	for _, s := range signers {
		for _, a := range audiences {
			if s.Keys.PrivateKey(a).Kid != signers[0].Keys.PrivateKey(a).Kid {
				t.Errorf("two processes sign for %s with different keys", a)
			}
		}
	}
	ring, err := seal.New(bytes.Repeat([]byte{8}, 32))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewSigner(t.Context(), db, ring, time.Now); !errors.Is(err, seal.ErrOtherMasterKey) {
		t.Errorf("with another master key: %v; want ErrOtherMasterKey", err)
	}
}

func TestAKeyThatAnotherProcessMadeIsFound(t *testing.T) {
	db := pgtest.New(t)
	old := open(t, db)
	err := db.Deployment(t.Context(), func(tx *pg.Tx) error {
		_, err := tx.Exec(t.Context(), `update signing_key set state = 'verify_only' where audience = 'agent'`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	newer := open(t, db)
	issue := func(s *Signer) string {
		c := Claims{Subject: "x", Tenant: uuid.NewString(), ID: uuid.NewString()}
		token, _, err := s.Sign(AgentForm, c, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	before, after := issue(old), issue(newer)
	old.Keys.mu.Lock()
	old.Keys.loaded = time.Now().Add(-reloadPause)
	old.Keys.mu.Unlock()
	for name, err := range map[string]error{
		"new token, old process": func() error { _, err := old.Verify(t.Context(), AgentForm, after, false); return err }(),
		"old token, new process": func() error { _, err := newer.Verify(t.Context(), AgentForm, before, false); return err }(),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzInspectNeverPanics(f *testing.F) {
	f.Add("a.b.c")
	f.Add(
		encode(
			`{"alg":"EdDSA","kid":"k","typ":"at+jwt"}`,
		) + "." + encode(
			`{"sub":"x"}`,
		) + "." + strings.Repeat(
			"A",
			86,
		),
	)
	f.Add(encode(`{"alg":{"a":[`) + ".." + encode(`{`))
	f.Fuzz(func(t *testing.T, token string) {
		head, err := inspect(token)
		if err == nil && (head.alg != "EdDSA" || head.kid == "" || head.typ == "") {
			t.Errorf("inspect(%q) = %+v", token, head)
		}
	})
}

func FuzzClaimsAreFlatOrRefused(f *testing.F) {
	for _, seed := range []string{
		`{"a":"b"}`, `{"a":1e400}`, `{"a":1,"A":2}`, `{"a":[1]}`, `{"a":{"b":1}}`, `{"a":null}`, `{"a":true}`, `{}`,
		`{"":""}`, `{"a":"b"}x`, `{"a":"\u0000"}`,
		`{"a":"\ud800"}`, `{"\u0061":1,"a":2}`, `[`, ``, `{"a"`, "{\"a\":\"\xff\"}", `{"K":1,"\u212a":2}`,
		strings.Repeat(`{"a":`, 200),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := flat(raw)
		if err != nil {
			return
		}
		var plain map[string]any
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&plain); err != nil {
			t.Fatalf("flat accepts %q, which is no JSON object: %v", raw, err)
		}
		if len(plain) != len(got) {
			t.Errorf("flat(%q) has %d members; encoding/json sees %d", raw, len(got), len(plain))
		}
		for name, value := range got {
			switch value.(type) {
			case string, json.Number:
			default:
				t.Errorf("flat(%q) has %q of type %T", raw, name, value)
			}
		}
	})
}

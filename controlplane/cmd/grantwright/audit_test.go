package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

// export writes a file of n entries, signed at its end.
func export(t *testing.T, n int, key ed25519.PrivateKey) string {
	t.Helper()
	var out bytes.Buffer
	prev := chain.Genesis
	for seq := 1; seq <= n; seq++ {
		event := []byte(
			fmt.Sprintf(`{"action":"auth.login","seq":%d,"tenant_id":"t1","time":"2026-01-02T03:04:05.678Z"}`, seq),
		)
		link := chain.Link{Seq: int64(seq), Event: event, Prev: prev, Hash: chain.Hash(prev, event)}
		out.Write(chain.AppendLink(nil, link))
		prev = link.Hash
	}
	c := chain.Checkpoint{Origin: chain.Origin("t1"), Seq: int64(n), Hash: prev, At: time.Now()}
	for _, l := range []chain.Line{
		{Type: chain.TypeCheckpoint, Note: c.Sign(key)},
		{Type: chain.TypeKey, PublicKey: key.Public().(ed25519.PublicKey)}, {Type: chain.TypeEnd, LastSeq: int64(n)},
	} {
		b, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(b, '\n'))
	}
	path := filepath.Join(t.TempDir(), "audit.ndjson")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func run(args ...string) (string, error) {
	cmd := root()
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetArgs(args)
	err := cmd.Execute()
	return out.String(), err
}

func TestAuditVerifyJudgesAFileByItself(t *testing.T) {
	mine, other := ed25519.NewKeyFromSeed(make([]byte, 32)), ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32))
	path := export(t, 9, mine)
	out, err := run("audit", "verify", path)
	if err != nil || !strings.Contains(out, "9 entries of tenant t1, 1 to 9") || !strings.Contains(out, "compare it") {
		t.Errorf("%q, %v", out, err)
	}
	given := func(k ed25519.PrivateKey) string {
		return base64.StdEncoding.EncodeToString(k.Public().(ed25519.PublicKey))
	}
	if out, err := run(
		"audit",
		"verify",
		path,
		"--key",
		given(mine),
	); err != nil ||
		!strings.Contains(out, "that was given") {
		t.Errorf("with the key: %q, %v", out, err)
	}
	if _, err := run("audit", "verify", path, "--key", given(other)); err == nil || exitCode(err) != exitFailed {
		t.Errorf("with another key: %v", err)
	}
	if _, err := run("audit", "verify", path, "--key", given(other), "--key", given(mine)); err != nil {
		t.Errorf("with two keys, one of which signed: %v", err)
	}
	pem, err := chain.PEM(mine.Public().(ed25519.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	keyFile := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(keyFile, []byte(pem), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := run("audit", "verify", path, "--key", keyFile); err != nil {
		t.Errorf("with a file of the key: %v", err)
	}
	if _, err := run("audit", "verify", path, "--key", "nonsense"); exitCode(err) != exitUsage {
		t.Errorf("with nonsense: %v", err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(
		path,
		bytes.Replace(b, []byte(`login","seq":4`), []byte(`leave","seq":4`), 1),
		0o600,
	); err != nil {
		t.Fatal(err)
	}
	if _, err := run(
		"audit",
		"verify",
		path,
	); err == nil || exitCode(err) != exitFailed ||
		!strings.Contains(err.Error(), "entry 4") {
		t.Errorf("edited: %v", err)
	}
	if _, err := run("audit", "verify", path+".gone"); err == nil {
		t.Error("a file that is not there verifies")
	}
}

package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const ward = `apiVersion: grantwright.pack/v1
kind: SectorPack
metadata: {key: ward, version: 1.2.3, name: Ward, sector: healthcare, publisher: test}
roles: [{key: nurse, name: Nurse}]
birthrights:
  - {key: nurses, subject: {match: all, rules: [{field: department, op: eq, value: Nursing}]}, grant: [{role: nurse}]}
tests: [{name: a nurse, given: {identity: {department: Nursing}}, expectOnly: [nurses, nurse]}]
`

func TestAPackIsLintedBuiltSignedAndVerified(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(at("ward"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at("ward/pack.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wants := func(out, text string) {
		t.Helper()
		if !strings.Contains(out, text) {
			t.Errorf("%q is not in:\n%s", text, out)
		}
	}
	write(strings.Replace(ward, "role: nurse", "role: nurze", 1))
	wants(
		run(t, 1, "pack", "lint", at("ward")),
		"ward/pack.yaml:6: error: the pack has no role nurze; did you mean nurse?",
	)
	run(t, 1, "pack", "build", at("ward"), "-o", at("ward.gwpack"))
	if _, err := os.Stat(at("ward.gwpack")); err == nil {
		t.Error("a pack with a mistake was built")
	}
	write(ward)
	wants(run(t, 0, "pack", "lint", at("ward")), "ok: ward 1.2.3, 1 roles, 1 birthrights, 1 tests passed")
	wants(run(t, 0, "pack", "lint", "--json", at("ward")), `"valid": true`)

	run(t, 0, "pack", "keygen", at("mine"))
	run(t, 0, "pack", "keygen", at("other"))
	run(t, 1, "pack", "keygen", at("mine"))
	if info, err := os.Stat(at("mine.key.pem")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the private key can be read by others: %v %v", info.Mode(), err)
	}
	wants(run(t, 0, "pack", "build", at("ward"), "-o", at("ward.gwpack"), "--key", at("mine.key.pem")), "signed under")
	wants(run(t, 0, "pack", "verify", at("ward.gwpack"), "--key", at("mine.pub.pem")), "ok: 1 files")
	run(t, 1, "pack", "verify", at("ward.gwpack"), "--key", at("other.pub.pem"))
	run(t, 2, "pack", "verify", at("ward.gwpack"))
	run(t, 1, "pack", "verify", at("ward"), "--key", at("mine.pub.pem")) // the folder is not signed yet
	run(t, 0, "pack", "sign", at("ward"), "--key", at("mine.key.pem"))
	run(t, 0, "pack", "sign", at("ward.gwpack"), "--key", at("other.key.pem"))
	run(t, 0, "pack", "verify", at("ward"), "--key", at("mine.pub.pem"))
	run(t, 0, "pack", "verify", at("ward.gwpack"), "--key", at("other.pub.pem"))
	write(ward + "# changed\n")
	wants(run(t, 1, "pack", "verify", at("ward"), "--key", at("mine.pub.pem")), "was changed after it was signed")
	run(t, 2, "pack", "sign", at("ward"))

	wants(run(t, 0, "pack", "list"), "healthcare-provider")
	wants(run(t, 0, "pack", "schema"), `"SectorPack"`)
}

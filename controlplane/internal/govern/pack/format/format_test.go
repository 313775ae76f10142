package format_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/archive"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/schema"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/trial"
)

const small = `apiVersion: grantwright.pack/v1
kind: SectorPack
metadata: {key: small, version: 1.0.0, name: Small, sector: any, publisher: test}
parameters:
  - {key: wards, type: "string[]", default: [Nursing], prompt: Wards}
  - {key: grace, type: duration, default: P1D, prompt: Grace}
roles: [{key: nurse, name: Nurse}]
birthrights:
  - key: nurses
    subject: {match: all, rules: [{field: department, op: in, value: "{{wards}}"}]}
    grant: [{role: nurse}]
    lifecycle: {onNoMatch: grace, grace: "{{grace}}"}
tests:
  - {name: a nurse, given: {identity: {department: Nursing}}, expectOnly: [nurses, nurse]}
  - {name: others, given: {identity: {department: Sales}}, expectOnly: []}
  - {name: other wards, given: {identity: {department: Ward 7}, parameters: {wards: [Ward 7]}}, expectGrants: [nurse]}
  - {name: a group, given: {mapping: groups, record: {cn: night shift, app: Rota}}, expectIdentity: {display_name: Night Shift, resource_name: Rota}}
  - {name: a membership, given: {mapping: memberships, record: {until: "2026-01-31"}}, expectIdentity: {expires_at: "2026-02-01T00:00:00Z"}}
fieldMappings:
  - {key: groups, when: {}, object: entitlement, fields: [{source: cn, target: display_name, transform: value.title()}, {source: app, target: resource_name}]}
  - {key: memberships, when: {}, object: grant, fields: [{source: until, target: expires_at}]}
`

// entry is a part of an archive.
type entry struct {
	name    string
	kind    byte
	content string
	link    string
}

func packed(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	w := tar.NewWriter(zip)
	for _, e := range entries {
		if e.kind == 0 {
			e.kind = tar.TypeReg
		}
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Linkname: e.link, Mode: 0o644, Size: int64(len(e.content))}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestHostileArchivesAreRefused(t *testing.T) {
	manifest := entry{name: "pack.yaml", content: small}
	many := []entry{manifest}
	for i := range archive.MaxEntries {
		many = append(many, entry{name: fmt.Sprintf("roles/%d.yaml", i), content: "{key: a, name: A}"})
	}
	folders := []entry{manifest}
	for i := range archive.MaxEntries {
		folders = append(folders, entry{name: fmt.Sprintf("d%d/", i), kind: tar.TypeDir})
	}
	whole := packed(t, manifest)
	for _, tt := range []struct {
		name   string
		packed []byte
		code   string
	}{
		{"no archive", []byte("PK\x03\x04 something else"), "not_an_archive"},
		{"nothing", nil, "not_an_archive"},
		{"gzip of no tar", gzipped(t, bytes.Repeat([]byte("x"), 4096)), "damaged_archive"},
		{"too large packed", make([]byte, archive.MaxPacked+1), "archive_too_large"},
		{"a bomb", packed(t, entry{name: "README.md", content: strings.Repeat("\x00", 40<<20)}), "archive_too_large"},
		{"a bomb behind the end of the archive", gzipped(t, append(plain(t, manifest), make([]byte, 40<<20)...)),
			"archive_too_large"},
		{"a header that promises more than there may be", promising(t, 1<<40), "archive_too_large"},
		{"too many files", packed(t, many...), "too_many_entries"},
		{"too many folders", packed(t, folders...), "too_many_entries"},
		{"a path upwards", packed(t, manifest, entry{name: "../evil.yaml"}), "unsafe_path"},
		{"a path upwards within", packed(t, manifest, entry{name: "roles/../../evil.yaml"}), "unsafe_path"},
		{"a path from the root", packed(t, manifest, entry{name: "/etc/passwd"}), "unsafe_path"},
		{"a path of another system", packed(t, manifest, entry{name: `roles\evil.yaml`}), "unsafe_path"},
		{"a drive", packed(t, manifest, entry{name: "C:/evil.yaml"}), "unsafe_path"},
		{"a dot", packed(t, manifest, entry{name: "./roles/a.yaml"}), "unsafe_path"},
		{"an empty name within", packed(t, manifest, entry{name: "roles//a.yaml"}), "unsafe_path"},
		{"an invisible character", packed(t, manifest, entry{name: "roles/a\u202eb.yaml"}), "unsafe_path"},
		{"a line end", packed(t, manifest, entry{name: "roles/a\nb.yaml"}), "unsafe_path"},
		{"a long path", packed(t, manifest, entry{name: "roles/" + strings.Repeat("a", 300) + ".yaml"}),
			"unsafe_path"},
		{"a deep path", packed(t, manifest, entry{name: "a/b/c/d/e.yaml"}), "unsafe_path"},
		{"a folder upwards", packed(t, manifest, entry{name: "../x/", kind: tar.TypeDir}), "unsafe_path"},
		{"a symbolic link", packed(t, manifest,
			entry{name: "roles/a.yaml", kind: tar.TypeSymlink, link: "/etc/passwd"}), "not_a_file"},
		{"a hard link", packed(t, manifest, entry{name: "roles/a.yaml", kind: tar.TypeLink, link: "pack.yaml"}),
			"not_a_file"},
		{"a device", packed(t, manifest, entry{name: "roles/a.yaml", kind: tar.TypeChar}), "not_a_file"},
		{"a pipe", packed(t, manifest, entry{name: "roles/a.yaml", kind: tar.TypeFifo}), "not_a_file"},
		{"a name twice", packed(t, manifest, manifest), "duplicate_name"},
		{"names that differ in capitals", packed(t, manifest, entry{name: "roles/A.yaml"},
			entry{name: "roles/a.yaml"}), "colliding_names"},
		{"names that differ in composition",
			packed(t, manifest, entry{name: "roles/\u00e9.yaml"}, entry{name: "roles/e\u0301.yaml"}),
			"colliding_names"},
		{"a file and a folder of one name", packed(t, entry{name: "roles", content: "x"}, entry{name: "Roles/a.yaml"}),
			"colliding_names"},
		{"a folder and a file of one name", packed(t, entry{name: "roles/a.yaml"}, entry{name: "ROLES"}),
			"colliding_names"},
		{"cut off", whole[:len(whole)-20], "damaged_archive"},
		{"a second archive behind it", append(bytes.Clone(whole), whole...), "trailing_data"},
		{"something behind it", append(bytes.Clone(whole), 'x'), "trailing_data"},
		{"something behind the end of the tar", gzipped(t, append(plain(t, manifest), []byte("more")...)),
			"trailing_data"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files, problems := archive.Unpack(tt.packed)
			if files != nil || len(problems) != 1 || problems[0].Code != tt.code || problems[0].Mend == "" {
				t.Errorf("%d files, problems %v; want %s and how to mend it", len(files), problems, tt.code)
			}
		})
	}
	if files, problems := archive.Unpack(whole); len(problems) > 0 || string(files["pack.yaml"]) != small {
		t.Errorf("a good archive: %v", problems)
	}
}

func gzipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func plain(t *testing.T, entries ...entry) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(packed(t, entries...)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := out.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// promising is an archive whose header says that a file is larger than it is.
func promising(t *testing.T, size int64) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	if err := w.WriteHeader(
		&tar.Header{Name: "README.md", Typeflag: tar.TypeReg, Size: size, Format: tar.FormatPAX},
	); err != nil {
		t.Fatal(err)
	}
	return gzipped(t, out.Bytes())
}

func read(text string, more ...string) (*format.Source, []diagnostic.Problem) {
	files := archive.Files{"pack.yaml": []byte(text)}
	for i := 0; i+1 < len(more); i += 2 {
		files[more[i]] = []byte(more[i+1])
	}
	s, _, problems := trial.Lint(files, format.Options{})
	return s, problems
}

func TestMistakesAreToldWithPlaceAndMending(t *testing.T) {
	for _, tt := range []struct{ name, from, to, code, place, says string }{
		{"an unknown member", "roles: [{key: nurse, name: Nurse}]",
			"roles: [{key: nurse, name: Nurse, entitlement: []}]", "unknown_member", "pack.yaml:7",
			"did you mean entitlements"},
		{"a secret", "roles: [{key: nurse, name: Nurse}]", "secrets: [a]", "forbidden_content", "pack.yaml:7",
			"cannot hold secrets"},
		{"users", "roles: [{key: nurse, name: Nurse}]", "users: [a]", "forbidden_content", "pack.yaml:7", "users"},
		{"webhooks", "roles: [{key: nurse, name: Nurse}]", "webhooks: [a]", "forbidden_content", "pack.yaml:7",
			"webhooks"},
		{"a write mode", "grant: [{role: nurse}]", "grant: [{role: nurse}]\n    writeMode: auto", "forbidden_content",
			"pack.yaml:12", "write modes"},
		{"an unknown field of people", "field: department", "field: departement", "unknown_field", "pack.yaml:10",
			"did you mean department"},
		{"an unknown operator", "op: in", "op: inn", "unknown_operator", "pack.yaml:10", ""},
		{"an unknown role", "[{role: nurse}]", "[{role: nurze}]", "unknown_reference", "pack.yaml:11",
			"did you mean nurse"},
		{"an unknown parameter", `"{{grace}}"`, `"{{graze}}"`, "unknown_parameter", "pack.yaml:12", "declare it"},
		{"a duration that is none", "default: P1D", "default: 1 day", "wrong_value", "pack.yaml:6", "P14D"},
		{"months, which have no fixed length", `"{{grace}}"`, "P1M", "wrong_value", "pack.yaml:12", "no fixed length"},
		{"a version that is none", "version: 1.0.0", "version: one", "wrong_value", "pack.yaml:3", "semantic version"},
		{"a service that is not there yet", "roles:", "requires: {service: \">=2.0\"}\nroles:", "unsupported_version",
			"pack.yaml:7", "another version"},
		{"a test that fails", "expectOnly: []", "expectOnly: [nurse]", "test_failed", "pack.yaml:15", "others"},
		{"a test that names nothing", "expectOnly: []", "expectOnly: [doctor]", "unknown_reference", "pack.yaml:15",
			"doctor"},
		{"an alias", "roles: [{key: nurse, name: Nurse}]", "roles: [&a {key: nurse, name: Nurse}, *a]", "alias",
			"pack.yaml:7", "write the value out"},
		{"a merge key", "metadata: {key", "metadata: {<<: {key: a}, key", "alias", "pack.yaml:3", "merge"},
		{"a tag", "name: Nurse}", "name: !!binary aGk=}", "unknown_tag", "pack.yaml:7", "leave the tag out"},
		{"a member twice", "name: Nurse}", "name: Nurse, name: Other}", "duplicate_member", "pack.yaml:7",
			"remove one"},
		{"two documents", "tests:", "---\ntests:", "several_documents", "pack.yaml", "list"},
		{"no YAML", "roles: [", "roles: [[", "invalid_yaml", "pack.yaml", "indentation"},
		{"a key twice", "roles: [{key: nurse, name: Nurse}]",
			"roles: [{key: nurse, name: Nurse}, {key: nurse, name: B}]", "duplicate_key", "pack.yaml:7", "another"},
		{"a parameter without a value", `default: [Nursing], `, "", "missing", "pack.yaml:5", "example"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(small, tt.from, tt.to, 1)
			if text == small {
				t.Fatal("nothing was changed")
			}
			s, problems := read(text)
			if s != nil {
				t.Error("the pack can be used")
			}
			for _, p := range problems {
				if line := p.String(); p.Code == tt.code && strings.HasPrefix(line, tt.place) &&
					strings.Contains(line, tt.says) &&
					p.Mend != "" {
					return
				}
			}
			t.Errorf("problems %v; want %s at %s: %s", problems, tt.code, tt.place, tt.says)
		})
	}
	if s, problems := read(small); s == nil || len(problems) > 0 {
		t.Errorf("the pack without mistakes: %v", problems)
	}
}

func TestAPackMayLieInFoldersAndBeReadLeniently(t *testing.T) {
	manifest := strings.Replace(small, "roles: [{key: nurse, name: Nurse}]\n", "future: {x: 1}\n", 1)
	files := archive.Files{
		"pack.yaml":        []byte(manifest),
		"roles/nurse.yaml": []byte("key: nurse\nname: Nurse\nfuture: 1\n"),
		"roles/more.yaml":  []byte("[{key: a, name: A}, {key: b, name: B}]"),
		"locales/de.yaml":  []byte("roles: {nurse: {name: Pflegekraft}}"),
		"later/x.yaml":     []byte("1"),
	}
	if s, problems := format.Read(files, format.Options{}); s != nil || len(problems) == 0 {
		t.Error("strict reading takes what it does not know")
	}
	s, problems := format.Read(files, format.Options{Lenient: true})
	if s == nil {
		t.Fatalf("lenient reading fails: %v", problems)
	}
	warned := map[string]bool{}
	for _, p := range problems {
		warned[p.File+" "+p.Code] = p.Severity == diagnostic.Warning
	}
	for _, want := range []string{"pack.yaml unknown_member", "roles/nurse.yaml unknown_member",
		"later/x.yaml unknown_file"} {
		if !warned[want] {
			t.Errorf("no warning of %s in %v", want, problems)
		}
	}
	if len(s.Pack.Roles) != 3 || s.Locales["de"]["roles/nurse/name"] != "Pflegekraft" {
		t.Errorf("roles %v, texts %v", s.Pack.Roles, s.Locales)
	}
}

func TestAnAliasBombIsNothingMoreThanAMistake(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 30 {
		fmt.Fprintf(&bomb, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d]\n", i+1, i+1, i, i, i, i)
	}
	if s, problems := read(bomb.String()); s != nil || len(problems) == 0 || problems[0].Code != "alias" {
		t.Errorf("problems %v", problems)
	}
	if s, problems := read(strings.Repeat("[", 5000) + strings.Repeat("]", 5000)); s != nil || len(problems) == 0 {
		t.Error("deep nesting is taken")
	}
	if s, problems := read("a: " + strings.Repeat("x", 2<<20)); s != nil || problems[0].Code != "file_too_large" {
		t.Errorf("problems %v", problems)
	}
}

func TestASignatureStandsForTheFilesAlone(t *testing.T) {
	private, public, err := archive.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	key, err := archive.ParsePrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	trusted, err := archive.ParsePublicKeys(public)
	if err != nil {
		t.Fatal(err)
	}
	files := archive.Files{"pack.yaml": []byte(small), "README.md": []byte("read me")}
	if _, err := files.Verify(trusted...); err == nil {
		t.Error("files that nobody has signed verify")
	}
	files.Sign(key)
	packed, err := files.Pack()
	if err != nil {
		t.Fatal(err)
	}
	again, err := files.Pack()
	if err != nil || !bytes.Equal(packed, again) {
		t.Error("the same files give other bytes")
	}
	unpacked, problems := archive.Unpack(packed)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	by, err := unpacked.Verify(trusted...)
	if err != nil || !by.Equal(trusted[0]) {
		t.Fatalf("verify: %v", err)
	}
	// Anybody can do the same with other tools.
	sig, _, _ := unpacked.Signature()
	if !ed25519.Verify(trusted[0], unpacked.Digest(), sig.Signature) ||
		!strings.Contains(string(unpacked.Digest()), "  README.md\n") {
		t.Error("the signature is not one of the list of hashes")
	}
	_, stranger, err := archive.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	others, err := archive.ParsePublicKeys(stranger)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(archive.Files){
		"a changed file": func(f archive.Files) { f["README.md"] = []byte("read it") },
		"a new file":     func(f archive.Files) { f["roles/a.yaml"] = []byte("x") },
		"a missing file": func(f archive.Files) { delete(f, "README.md") },
		"a renamed file": func(f archive.Files) { f["LICENSE"] = f["README.md"]; delete(f, "README.md") },
		"no signature":   func(f archive.Files) { delete(f, "SIGNATURE") },
		"half of one":    func(f archive.Files) { f["SIGNATURE"] = f["SIGNATURE"][:40] },
		"another algorithm": func(f archive.Files) {
			f["SIGNATURE"] = bytes.Replace(f["SIGNATURE"], []byte("ed25519"), []byte("none"), 1)
		},
		"a signature of nothing": func(f archive.Files) {
			f["SIGNATURE"] = fmt.Appendf(nil, "alg: ed25519\nkey_id: x\nsignature: %s\n",
				base64.StdEncoding.EncodeToString(make([]byte, 64)))
		},
	} {
		changed := archive.Files{}
		for n, c := range unpacked {
			changed[n] = c
		}
		change(changed)
		if _, err := changed.Verify(trusted...); err == nil {
			t.Errorf("%s verifies", name)
		}
	}
	if _, err := unpacked.Verify(others...); err == nil || !strings.Contains(err.Error(), "no trusted key") {
		t.Errorf("another key: %v", err)
	}
	if _, err := unpacked.Verify(); err == nil {
		t.Error("no key at all verifies")
	}
}

func TestAFolderIsReadWithoutFollowingLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pack.yaml"), []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".hidden"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, problems, err := archive.Open(dir)
	if err != nil || len(problems) > 0 || len(files) != 1 {
		t.Fatalf("%v %v %v", files.Names(), problems, err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "README.md")); err != nil {
		t.Fatal(err)
	}
	if _, problems, err = archive.Open(dir); err != nil || len(problems) != 1 || problems[0].Code != "not_a_file" {
		t.Errorf("a link: %v %v", problems, err)
	}
	if _, problems, err := archive.Dir(
		fstest.MapFS{"roles/A.yaml": {}, "roles/a.yaml": {}},
	); err != nil || len(problems) != 1 ||
		problems[0].Code != "colliding_names" {
		t.Errorf("names that collide: %v %v", problems, err)
	}
}

func TestThePublishedSchemaIsTheOneThatIsChecked(t *testing.T) {
	published, err := os.ReadFile("../../../../../docs/sector-pack.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(published, schema.JSON) {
		t.Error("docs/sector-pack.schema.json is another one: copy schema.json over it")
	}
}

func TestParametersAreTyped(t *testing.T) {
	seven := int64(7)
	parameters := []format.Parameter{
		{
			Key:      "names",
			Type:     "string[]",
			Required: true,
			Values:   []string{"a", "b"},
		},
		{Key: "n", Type: "integer", Maximum: &seven, Default: int64(3)},
		{
			Key:     "yes",
			Type:    "boolean",
			Default: false,
		},
		{Key: "long", Type: "duration", Default: "P1D"},
		{Key: "text", Type: "string", Default: ""},
	}
	got, wrong := format.Values(parameters, map[string]any{"names": []any{"a", "a"}, "n": 7.0})
	if len(wrong) > 0 || fmt.Sprint(got) != "map[long:P1D n:7 names:[a] text: yes:false]" {
		t.Errorf("%v %v", got, wrong)
	}
	for name, given := range map[string]map[string]any{
		"names": {}, "n": {"names": []any{"a"}, "n": 8.0}, "yes": {"names": []any{"a"}, "yes": "true"},
		"long": {"names": []any{"a"}, "long": "P1M"},
		"text": {"names": []any{"a"}, "text": "{{names}}"}, "other": {"names": []any{"a"}, "other": 1},
	} {
		if _, wrong := format.Values(parameters, given); len(wrong) != 1 || wrong[0].Key != name {
			t.Errorf("%v: %v; want %s to be wrong", given, wrong, name)
		}
	}
}

func TestVersionsAreOrdered(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"1.0.0", "1.0.0", 0}, {"1.9.0", "1.10.0", -1}, {"2.0.0", "1.99.99", 1}, {"1.0.0-rc.1", "1.0.0", -1},
		{"1.0.0-rc.2", "1.0.0-rc.10", -1}, {"1.0.0-a", "1.0.0-1", 1}} {
		if got := format.Compare(tt.a, tt.b); got != tt.want {
			t.Errorf("%s against %s = %d; want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// FuzzUnpack holds that whatever is unpacked keeps to the limits, and that nothing makes reading it fail in another
// way.
func FuzzUnpack(f *testing.F) {
	files := archive.Files{"pack.yaml": []byte(small)}
	packed, err := files.Pack()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(packed)
	f.Add([]byte{0x1f, 0x8b})
	f.Fuzz(func(t *testing.T, packed []byte) {
		files, problems := archive.Unpack(packed)
		if (files == nil) != diagnostic.Failed(problems) {
			t.Fatal("files and problems, or neither")
		}
		if files.Size() > archive.MaxUnpacked || files.Size() > int64(len(packed))*archive.MaxRatio ||
			len(files) > archive.MaxEntries {
			t.Fatal("beyond the limits")
		}
		trial.Lint(files, format.Options{Lenient: true})
	})
}

// FuzzManifest holds that no text makes reading a pack fail in another way than by problems.
func FuzzManifest(f *testing.F) {
	f.Add(small)
	f.Add("a: &a [*a]")
	f.Fuzz(func(t *testing.T, text string) {
		s, problems := read(text)
		if (s == nil) != diagnostic.Failed(problems) {
			t.Fatalf("a pack and errors, or neither: %v", problems)
		}
	})
}

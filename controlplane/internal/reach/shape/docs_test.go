package shape

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/template"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// block is the text of a fenced block of the documentation.
func block(t *testing.T, info string) string {
	t.Helper()
	text, err := os.ReadFile("../../../../docs/account-templates.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n```"+info+"\n")
	inner, _, ended := strings.Cut(rest, "\n```")
	if !found || !ended {
		t.Fatalf("there is no block %s", info)
	}
	return inner
}

func TestTheExamplesOfTheDocumentationAreTrue(t *testing.T) {
	var person identity.Facts
	if err := json.Unmarshal([]byte(block(t, "json person")), &person); err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(block(t, "python examples")) {
		expression, result, _ := strings.Cut(strings.TrimSpace(line), " # ")
		var want any
		if err := json.Unmarshal([]byte(result), &want); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		program, err := pyexpr.CompileAbout(strings.TrimSpace(expression), "username", "identity")
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		got, err := program.Eval(context.Background(), "jgross", pyexpr.NewRecord(person))
		if i, ok := got.(int64); ok {
			got = float64(i)
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s gives %v, %v; the documentation says %v", expression, got, err, want)
		}
		n++
	}
	if n < 15 {
		t.Errorf("only %d examples were tried", n)
	}
}

func TestTheNamesOfTheDocumentationAreTrue(t *testing.T) {
	n := 0
	for line := range strings.Lines(block(t, "text names")) {
		f := strings.Fields(line)
		length, err := strconv.Atoi(f[1])
		if err != nil || len(f) != 5 {
			t.Fatalf("%s: %v", line, err)
		}
		if got := namer(
			template.UniqueRule{Suffix: "number", Start: 2, Allowed: f[0], MaxLength: length, Transliteration: f[2]},
		)(f[3]); got != f[4] {
			t.Errorf("%s becomes %s; the documentation says %s", f[3], got, f[4])
		}
		n++
	}
	if n < 8 {
		t.Errorf("only %d names were tried", n)
	}
}

func TestTheSettingsOfTheDocumentationCanBeSaved(t *testing.T) {
	var set ProvisioningSettings
	d := json.NewDecoder(strings.NewReader(block(t, "json")))
	d.DisallowUnknownFields()
	if err := d.Decode(&set); err != nil {
		t.Fatal(err)
	}
	c := of(template.Subject{Engine: "ldap"}, set)
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
	if got := set.defaulted(); len(got) != 0 {
		t.Errorf("the documentation does not set %q", got)
	}
	f := jane()
	f["first_name"], f["last_name"] = "Jürgen", "Groß"
	a, credential, err := c.Account(f, func(n string) bool { return n == "jgross" })
	if err != nil || *a.Username != "jgross2" || a.Attributes["mail"] != "jgross2@acme.test" ||
		*a.Container != "ou=Surgery,ou=people,dc=acme,dc=test" ||
		!credential.ForceChange {
		t.Errorf("it makes %+v %+v, %v", a, credential, err)
	}
}

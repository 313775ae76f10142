package pyexpr_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
)

var jane = map[string]any{
	"first_name": "Jane", "last_name": "Doe", "email": "Jane.Doe@acme.test", "title": nil, "manager": nil,
	"attributes": map[string]any{"badge": "b7", "deep": map[string]any{"er": 3}},
}

func TestExpressionsAboutSomebodyReadMembersByADot(t *testing.T) {
	for source, want := range map[string]any{
		"identity.first_name":                                   "Jane",
		"identity['first_name']":                                "Jane",
		"identity.get('first_name')":                            "Jane",
		"identity.get('shoe_size', 'none')":                     "none",
		"identity.email.lower()":                                "jane.doe@acme.test",
		"identity.shoe_size":                                    nil,
		"identity['shoe_size']":                                 nil,
		"identity.manager.email":                                nil,
		"identity.manager['email'].anything":                    nil,
		"identity.manager is None":                              true,
		"identity.attributes.badge.upper()":                     "B7",
		"identity.attributes['badge']":                          "b7",
		"identity['attributes'].get('badge')":                   "b7",
		"identity.attributes.deep.er + 1":                       int64(4),
		"identity.attributes.get('x', 'y')":                     "y",
		"'title' in identity":                                   true,
		"len(identity)":                                         int64(6),
		"f'{username}@acme.test'":                               "jdoe@acme.test",
		"f'{identity.first_name} {identity.last_name}'":         "Jane Doe",
		"coalesce(identity.title, identity.job, 'staff')":       "staff",
		"[identity.first_name for identity in [identity]]":      nil, // of a dict of Python: see below
		"(lambda identity: identity)(identity.first_name)":      "Jane",
		"[x for x in identity.attributes if x > 'c']":           []any{"deep"},
		"identity.email.split('@')[0] if identity.email else 0": "Jane.Doe",
	} {
		program, err := pyexpr.CompileAbout(source, "username", "identity")
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		got, err := program.Eval(context.Background(), "jdoe", pyexpr.NewRecord(jane))
		if strings.HasPrefix(source, "[identity.") {
			if err == nil {
				t.Errorf("%s: a name of a comprehension is no longer the record, yet it gives %v", source, got)
			}
			continue
		}
		if list, ok := want.([]any); ok {
			if l, ok := got.([]any); err != nil || !ok || !slices.Equal(l, list) {
				t.Errorf("%s = %v, %v; want %v", source, got, err, want)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("%s = %v, %v; want %v", source, got, err, want)
		}
	}
}

func TestTextsAboutSomebodyHaveNoNoneInThem(t *testing.T) {
	for _, source := range []string{"f'{identity.title}'", "identity.title.lower()",
		"identity.first_name + identity.title", "f'{identity.shoe_size!s:>3}'"} {
		program, err := pyexpr.CompileAbout(source, "username", "identity")
		if err != nil {
			t.Fatal(err)
		}
		var wrong *pyexpr.Error
		if got, err := program.Eval(context.Background(), nil, pyexpr.NewRecord(jane)); !errors.As(err, &wrong) {
			t.Errorf("%s = %v, %v; want an exception", source, got, err)
		}
	}
}

func TestAProgramTellsWhatItReadsOfSomebody(t *testing.T) {
	program, err := pyexpr.CompileAbout(
		"f\"{identity.manager.email}{identity['title'].lower()}\" + identity.get('title') + str(username) + "+
			"identity.attributes.get('a')",
		"username",
		"identity",
	)
	if err != nil {
		t.Fatal(err)
	}
	if got := program.Reads(); !slices.Equal(got, []string{"attributes.a", "manager.email", "title"}) {
		t.Errorf("it reads %q", got)
	}
}

func TestTransformsKnowNothingOfSomebody(t *testing.T) {
	if _, err := pyexpr.Compile("identity.email"); err == nil {
		t.Error("a transform reads an identity")
	}
	_, err := pyexpr.CompileAbout("value.lower()", "username", "identity")
	if err == nil || !strings.Contains(err.Error(), "identity.value") {
		t.Errorf("the error of an unknown name is %v", err)
	}
	program, err := pyexpr.Compile("record.email")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := program.Eval(context.Background(), nil, pyexpr.NewRecord(jane)); err == nil {
		t.Error("a dict of Python has members of its keys' names")
	}
}

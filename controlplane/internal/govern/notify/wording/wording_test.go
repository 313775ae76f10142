package wording_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/wording"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

func TestAnUnknownFieldIsRefusedWithItsPlace(t *testing.T) {
	k, _ := notice.Find(notice.TaskAssigned)
	err := wording.Check(k, wording.Words{Subject: "{title}", Text: "Hello {name},\nsee {titel}, {{braces}} and {"})
	var f *fault.Fault
	if !errors.As(err, &f) || len(f.Fields) != 2 {
		t.Fatalf("the fault is %v", err)
	}
	for i, want := range []string{"line 2, column 5: {titel} is not a field. The fields are title, name, summary",
		"line 2, column 29: { has no counterpart"} {
		if f.Fields[i].Pointer != "#/text" || !strings.Contains(f.Fields[i].Detail, want) {
			t.Errorf("got %v; want %q", f.Fields[i], want)
		}
	}
	for _, subject := range []string{"", " ", "a\nb", strings.Repeat("x", 181)} {
		if wording.Check(k, wording.Words{Subject: subject}) == nil {
			t.Errorf("the subject %q was taken", subject)
		}
	}
}

func TestTheWordsOfTheCatalogAreSound(t *testing.T) {
	for _, k := range notice.Kinds {
		if err := wording.Check(k, wording.Default(k)); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
}

// Values are never read as fields, and doubled braces give any text back.
func TestTextsComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text, value := rapid.String().Draw(r, "text"), rapid.String().Draw(r, "value")+"{name}"
		doubled := strings.NewReplacer("{", "{{", "}", "}}").Replace(text)
		got := wording.Fill(doubled+"{title}"+doubled, map[string]string{"title": value, "name": "no"})
		if want := text + value + text; got != want {
			r.Fatalf("got %q; want %q", got, want)
		}
	})
}

func TestAPersonReadsTheirLanguage(t *testing.T) {
	k, _ := notice.Find(notice.TaskAssigned)
	s := wording.Set{
		{k.Name, "de"}: {Subject: "Deutsch"}, {k.Name, "de-ch"}: {Subject: "Schweiz"}, {k.Name, "en"}: {Subject: "Own"},
	}
	for language, want := range map[string]string{"de-CH": "Schweiz", "de_AT": "Deutsch", "fr": "Own", "": "Own"} {
		if got := s.Of(k, language); got.Subject != want {
			t.Errorf("%q reads %q; want %q", language, got.Subject, want)
		}
	}
	if got := (wording.Set{}).Of(k, "de"); got != wording.Default(k) {
		t.Errorf("without a template: %v", got)
	}
}

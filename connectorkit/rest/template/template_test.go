package template

import (
	"strings"
	"testing"
)

func TestBracesThatAreNoPlaceholderCanBeWritten(t *testing.T) {
	t.Parallel()
	of := func(name string) (any, bool) { return "<" + name + ">", true }
	for text, want := range map[string]string{
		"{ a { b }}":                          "{ a { b }}",
		"{{'{{'}}x{{ '}}' }}":                 "{{x}}",
		"{{target.remote_id}}}}":              "<target.remote_id>}}",
		`{"q":{"id":"{{target.remote_id}}"}}`: `{"q":{"id":"<target.remote_id>"}}`,
	} {
		if _, err := parsePlaceholders(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if got, err := FillText(text, of, nil); err != nil || got != want {
			t.Errorf("%q = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"{{", "{{a b}}", "{{1}}", "{target.remote_id}}", "x {account.username }}",
		"{{a|odd}}"} {
		if _, err := parsePlaceholders(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestMistakesInReadsAndAnswersAreTold(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{
		`{"reads":{"account":{"path":"/a","body":{}}}}`:                                           "reads.account.body needs method POST",
		`{"reads":{"account":{"path":"/a","method":"PUT"}}}`:                                      "reads.account.method",
		`{"reads":{"account":{"path":"/a","missing_contains":"x"}}}`:                              "needs message_path",
		`{"reads":{"account":{"path":"/a","method":"POST","body":{"x":"{{account.username}}"}}}}`: "account.username",
		`{"ops":{"account.delete":{"path":"/a","already":{"status":[200]}}}}`:                     "already.status",
		`{"ops":{"account.delete":{"path":"/a","success_path":"$["}}}`:                            "success_path",
	} {
		if _, problems := Compile(setting, nil); !strings.Contains(strings.Join(problems, "\n"), want) {
			t.Errorf("%s: %v; want %q", setting, problems, want)
		}
	}
}

package pyexpr_test

import (
	"os"
	"strings"
	"testing"
)

// people is a record as sources give it.
func people() map[string]any {
	return map[string]any{
		"mail": "jane.doe@acme.test",
		"name": map[string]any{"first": "Jané", "last": "Doe-Müller"},
		"tags": []any{"a", "b", "c"},
		"emails": []any{
			map[string]any{"value": "x@home.test"},
			map[string]any{"value": "y@acme.test", "primary": true},
		},
		"count":  514,
		"ratio":  0.25,
		"big":    12345678901234567,
		"active": true,
		"gone":   nil,
		"nick":   "",
		"hired":  "2020-02-29",
		"dn":     "CN=Jane Doe,OU=Sales,OU=People,DC=acme,DC=test",
	}
}

// fieldValues are what a field may hold.
var fieldValues = []any{
	"Jane Doe",
	"jane.doe@acme.test",
	"",
	"  Jörg  Müller-Weiß \t",
	"STRASSE ß İ ΑΣ",
	"12",
	"3.5",
	"2020-02-29",
	"e\u0301 日本 😀",
	"line one\nline two\r\n",
	nil,
	true,
	0,
	514,
	-7,
	2.5,
	1e21,
	123456789012345678,
	[]any{"a", "b"},
	[]any{},
	[]any{3, 1, 2},
	map[string]any{"a": 1, "b": nil},
}

// handwritten pairs the expressions of testdata/expressions.txt with what they are about.
func handwritten(t testing.TB) (all []question) {
	t.Helper()
	text, err := os.ReadFile("testdata/expressions.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		over := fieldValues[:1]
		if strings.Contains(line, "value") {
			over = fieldValues
		}
		for _, v := range over {
			all = append(all, question{line, v, people()})
		}
	}
	return all
}

func TestHandwrittenExpressionsGiveWhatCPythonGives(t *testing.T) {
	questions := handwritten(t)
	if len(questions) < 2500 {
		t.Fatalf("only %d pairs of expression and input", len(questions))
	}
	agree(t, questions)
}

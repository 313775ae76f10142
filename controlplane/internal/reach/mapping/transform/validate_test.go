package transform_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/transform"
)

// tried is the answer to a trial, as JSON has it.
func tried(t *testing.T, trial string) map[string]any {
	t.Helper()
	var in transform.TransformTrial
	if err := json.Unmarshal([]byte(trial), &in); err != nil {
		t.Fatal(err)
	}
	verdict, err := transform.Validate(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(verdict)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEverySampleHasItsResult(t *testing.T) {
	got := tried(t, `{"expression": "record['n'] + len(value)", "samples": [
		{"value": "Müller", "record": {"n": 1}}, {"value": null, "record": {"n": 1}}, {"value": "x", "record": {}}, {"value": "x"},
		{"value": "", "record": {"n": 12345678901234567890}}, {"value": "a", "record": {"n": 1.5}}]}`)
	var values, messages []any
	for _, r := range got["results"].([]any) {
		r := r.(map[string]any)
		values = append(values, r["value"])
		message := any(nil)
		if d, ok := r["error_detail"].(map[string]any); ok {
			message = d["message"]
		}
		messages = append(messages, message)
	}
	if got["valid"] != true || got["error"] != nil || got["error_detail"] != nil {
		t.Errorf("valid %v, error %v", got["valid"], got["error"])
	}
	if diff := cmp.Diff([]any{7.0, nil, nil, nil, 12345678901234567890.0, 2.5}, values); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	want := []any{nil, "TypeError: object of type 'NoneType' has no len()", "KeyError: 'n'", "KeyError: 'n'", nil, nil}
	if diff := cmp.Diff(want, messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

func TestAnIntegerKeepsAllItsDigits(t *testing.T) {
	var in transform.TransformTrial
	if err := json.Unmarshal(
		[]byte(
			`{"expression": "value + 1", "samples": [{"value": 123456789012345678901234567890}, {"value": `+
				`9007199254740993}]}`,
		),
		&in,
	); err != nil {
		t.Fatal(err)
	}
	verdict, err := transform.Validate(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(verdict.Results)
	if s := string(
		b,
	); !strings.Contains(s, `"value":123456789012345678901234567891,`) ||
		!strings.Contains(s, `"value":9007199254740994,`) {
		t.Errorf("results = %s", s)
	}
}

func TestAnExpressionThatIsNoneSaysWhatAndWhere(t *testing.T) {
	for _, tt := range []struct{ expression, code, exception, message, excerpt, hint string }{
		{"value.lower(", "syntax_error", "SyntaxError", "'(' was never closed", "value.lower(\n           ^", ""},
		{"value && 1", "syntax_error", "SyntaxError", `invalid syntax at "&"`, "value && 1\n       ^", "write and"},
		{"", "syntax_error", "SyntaxError", "the expression is empty", "\n^", ""},
		{"(1 +\n 'ü' + foo)", "not_allowed", "NameError", "name 'foo' is not defined; a field of the record is " +
			"record['foo']", " 'ü' + foo)\n       ^", ""},
		{"valu.lower()", "not_allowed", "NameError", "name 'valu' is not defined; did you mean value?",
			"valu.lower()\n^", ""},
		{"null", "not_allowed", "NameError", "name 'null' is not defined; in its place write None", "null\n^", ""},
		{"import re", "not_allowed", "", "import is a statement", "import re\n^", "re, datetime, math, string and " +
			"unicodedata are there without import"},
		{"x = 1", "syntax_error", "SyntaxError", "= assigns; write == to compare, or (name := value)", "x = 1\n  ^",
			"the expression itself is the result: leave the name and the = away"},
		{"if value: 1", "syntax_error", "SyntaxError", `invalid syntax at "if"`, "if value: 1\n^",
			"write a if test else b"},
		{"f\"{record[\"a\"]}\"", "syntax_error", "SyntaxError", "f-string: expecting '}'", "",
			"a field ends with }; inside of it use the other kind of quotes: f\"{record['name']}\""},
		{"value.__class__", "not_allowed", "", "__class__: names that begin with _ are not reachable here",
			"value.__class__\n      ^", ""},
		{"1" + strings.Repeat(" ", 5000), "source_limit", "", "the expression is longer than 4 KiB", "", ""},
	} {
		in := transform.TransformTrial{Expression: tt.expression, Samples: []transform.TransformSample{{}, {}}}
		verdict, err := transform.Validate(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		d := verdict.ErrorDetail
		if verdict.Valid || d == nil || verdict.Error == nil {
			t.Errorf("%.40q is valid", tt.expression)
			continue
		}
		got := []string{d.Code, d.Exception, d.Message, d.Hint}
		if diff := cmp.Diff([]string{tt.code, tt.exception, tt.message, tt.hint}, got); diff != "" {
			t.Errorf("%.40q (-want +got):\n%s", tt.expression, diff)
		}
		if tt.excerpt != "" && d.Excerpt != tt.excerpt {
			t.Errorf("%.40q shows\n%s\nwant\n%s", tt.expression, d.Excerpt, tt.excerpt)
		}
		if len(verdict.Results) != 2 || verdict.Results[1].Error == nil || *verdict.Results[1].Error != *verdict.Error {
			t.Errorf("%.40q has the results %v", tt.expression, verdict.Results)
		}
	}
}

func TestARecordThatIsNoObjectIsRefused(t *testing.T) {
	in := transform.TransformTrial{
		Expression: "1",
		Samples:    []transform.TransformSample{{}, {Record: json.RawMessage(`[1]`)}},
	}
	_, err := transform.Validate(context.Background(), in)
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("Validate = %v; want it refused", err)
	}
}

func TestSamplesThatTakeTooLongEndTogether(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	verdict, err := transform.Validate(
		ctx,
		transform.TransformTrial{Expression: "1", Samples: []transform.TransformSample{{}}},
	)
	if err != nil {
		t.Fatal(err)
	}
	if d := verdict.Results[0].ErrorDetail; !verdict.Valid || d == nil || d.Code != "time_limit" {
		t.Errorf("verdict = %+v; want a valid expression, and a sample that was not evaluated", verdict)
	}
}

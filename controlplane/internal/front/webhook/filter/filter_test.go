package filter

import (
	"encoding/json"
	"testing"
)

func TestFiltersDecideByWhatIsSent(t *testing.T) {
	const data = `{"id":"7","status":"active","version":3,"changed":["department","title"],"flapping":false,"at":"2026-02-01","inner":{"a":"x"},"none":null}`
	tests := []struct {
		filter string
		want   bool
	}{
		{`{"match":"all","rules":[{"field":"status","op":"eq","value":"active"}]}`, true},
		{`{"match":"all","rules":[{"field":"status","op":"eq","value":"ACTIVE"}]}`, false},
		{`{"match":"all","rules":[{"field":"version","op":"eq","value":3}]}`, true},
		{`{"match":"all","rules":[{"field":"version","op":"eq","value":"3"}]}`, false},
		{`{"match":"all","rules":[{"field":"flapping","op":"eq","value":false}]}`, true},
		{`{"match":"all","rules":[{"field":"status","op":"ne","value":"active"}]}`, false},
		{`{"match":"all","rules":[{"field":"absent","op":"ne","value":"active"}]}`, true},
		{`{"match":"all","rules":[{"field":"status","op":"in","value":["left","active"]}]}`, true},
		{`{"match":"all","rules":[{"field":"status","op":"not_in","value":["left","active"]}]}`, false},
		{`{"match":"all","rules":[{"field":"absent","op":"not_in","value":["left"]}]}`, true},
		{`{"match":"all","rules":[{"field":"absent","op":"in","value":["left"]}]}`, false},
		{`{"match":"all","rules":[{"field":"changed","op":"contains","value":"title"}]}`, true},
		{`{"match":"all","rules":[{"field":"changed","op":"contains","value":"tit"}]}`, false},
		{`{"match":"all","rules":[{"field":"status","op":"contains","value":"cti"}]}`, true},
		{`{"match":"all","rules":[{"field":"status","op":"starts_with","value":"act"}]}`, true},
		{`{"match":"all","rules":[{"field":"inner.a","op":"eq","value":"x"}]}`, true},
		{`{"match":"all","rules":[{"field":"status.a","op":"exists","value":true}]}`, false},
		{`{"match":"all","rules":[{"field":"none","op":"exists","value":false}]}`, true},
		{`{"match":"all","rules":[{"field":"version","op":"gt","value":2}]}`, true},
		{`{"match":"all","rules":[{"field":"at","op":"lt","value":"2026-03"}]}`, true},
		{`{"match":"all","rules":[{"field":"at","op":"gt","value":1}]}`, false},
		{
			`{"match":"all","rules":[{"field":"status","op":"eq","value":"active"},{"field":"version","op":"gt","value":5}]}`,
			false,
		},
		{
			`{"match":"any","rules":[{"field":"status","op":"eq","value":"active"},{"field":"version","op":"gt","value":5}]}`,
			true,
		},
		{`null`, true},
	}
	var sent map[string]any
	if err := json.Unmarshal([]byte(data), &sent); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		var f *Filter
		if err := json.Unmarshal([]byte(tt.filter), &f); err != nil {
			t.Fatal(err)
		}
		if err := f.Check(); err != nil {
			t.Errorf("%s: %v", tt.filter, err)
		}
		if got := f.Passes(sent); got != tt.want {
			t.Errorf("%s passes = %v; want %v", tt.filter, got, tt.want)
		}
	}
}

func TestValuesThatDoNotSuitTheirOperatorAreRefused(t *testing.T) {
	for _, rule := range []string{
		`{"op":"in","value":"a"}`, `{"op":"in","value":[]}`, `{"op":"in","value":[["a"]]}`,
		`{"op":"not_in","value":[null]}`, `{"op":"eq"}`, `{"op":"eq","value":{}}`,
		`{"op":"exists","value":"true"}`, `{"op":"starts_with","value":1}`, `{"op":"gt","value":true}`,
		`{"op":"contains","value":["a"]}`,
	} {
		var r Rule
		if err := json.Unmarshal([]byte(rule), &r); err != nil {
			t.Fatal(err)
		}
		if r.wrong() == "" {
			t.Errorf("%s was accepted", rule)
		}
	}
}

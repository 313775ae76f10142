package mergepatch

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMergeFollowsTheExamplesOfTheRFC holds the object examples of RFC 7396, appendix A.
func TestMergeFollowsTheExamplesOfTheRFC(t *testing.T) {
	for _, tt := range []struct{ target, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"a":"foo"}`, `{"a":{"b":1}}`, `{"a":{"b":1}}`},
	} {
		got := merge(object(t, tt.target), object(t, tt.patch))
		if diff := cmp.Diff(object(t, tt.want), got); diff != "" {
			t.Errorf("merge(%s, %s): -want +got\n%s", tt.target, tt.patch, diff)
		}
	}
}

type thing struct {
	Name   *string        `json:"name"`
	Size   int64          `json:"size"`
	Labels map[string]any `json:"labels"`
}

func TestAPatchClearsAndKeeps(t *testing.T) {
	name := "old"
	before := thing{Name: &name, Size: 9007199254740993, Labels: map[string]any{"a": "1", "b": "2"}}
	after, err := Apply(before, []byte(`{"name":null,"labels":{"a":null,"c":"3"},"unknown":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if after.Name != nil || after.Size != 9007199254740993 {
		t.Errorf("got %+v; want no name and the size as before", after)
	}
	if diff := cmp.Diff(map[string]any{"b": "2", "c": "3"}, after.Labels); diff != "" {
		t.Errorf("labels: -want +got\n%s", diff)
	}
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestWhatAResourceNeedsIsNotCleared(t *testing.T) {
	for patch, want := range map[string]bool{`{"email": null }`: false, `{"email":"x","other":null}`: true,
		`{}`: true} {
		if err := Keep([]byte(patch), "enabled", "email"); (err == nil) != want {
			t.Errorf("Keep(%s) = %v; want it accepted: %v", patch, err, want)
		}
	}
	if err := Keep([]byte(`[]`), "email"); err == nil {
		t.Error("an array is taken for a patch")
	}
}

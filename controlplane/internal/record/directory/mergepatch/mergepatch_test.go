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

func TestAPatchClearsKeepsAndTellsWhatChanged(t *testing.T) {
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
	changes, err := Diff(before, after)
	if err != nil {
		t.Fatal(err)
	}
	if len(changes) != 2 || changes[0].Field != "labels" || changes[1].Field != "name" || changes[1].From != "old" ||
		changes[1].To != nil {
		t.Errorf("changes = %+v", changes)
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

func TestWhatIsEmptyInANewResourceIsNoChange(t *testing.T) {
	type made struct {
		Name   string         `json:"name"`
		Note   string         `json:"note"`
		Owner  *string        `json:"owner"`
		Labels map[string]any `json:"labels"`
		Tags   []string       `json:"tags"`
		Roles  []string       `json:"roles"`
		On     bool           `json:"on"`
		Off    bool           `json:"off"`
		Rate   *int           `json:"rate"`
	}
	none, zero := "", 0
	changes, err := Initial(
		made{
			Name:   "x",
			Owner:  &none,
			Labels: map[string]any{},
			Tags:   []string{},
			Roles:  []string{"admin"},
			On:     true,
			Rate:   &zero,
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	var fields []string
	for _, c := range changes {
		fields = append(fields, c.Field)
	}
	if diff := cmp.Diff([]string{"name", "on", "rate", "roles"}, fields); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	// Between two states of a resource, from none to empty is a change, which is written and told.
	if changes, err = Diff(made{}, made{Owner: &none}); err != nil || len(changes) != 1 {
		t.Errorf("changes = %+v, %v; want the owner's", changes, err)
	}
}

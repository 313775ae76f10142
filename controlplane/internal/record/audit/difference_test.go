package audit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestADifferenceNamesEachMemberWithItsValues(t *testing.T) {
	type thing struct {
		Name   *string        `json:"name"`
		Size   int64          `json:"size"`
		Labels map[string]any `json:"labels"`
	}
	name := "old"
	before := thing{Name: &name, Size: 9007199254740993, Labels: map[string]any{"a": "1"}}
	after := thing{Size: 9007199254740993, Labels: map[string]any{"b": "2"}}
	changes, err := Diff(before, after)
	if err != nil {
		t.Fatal(err)
	}
	if len(changes) != 2 || changes[0].Field != "labels" || changes[1].Field != "name" || changes[1].From != "old" ||
		changes[1].To != nil {
		t.Errorf("changes = %+v", changes)
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

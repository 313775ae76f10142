package syncrun_test

import (
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
)

func TestARunWarnsOfMembershipsThatItCouldNotResolve(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.source.script = telling("c1", nil, person("a", "A", "a@x.test", nil),
		group("crew", "uid=a", "uid=g1", "uid=g2", "uid=g3", "uid=g4", "uid=g5", "uid=g6", "uid=g7"))
	for range 2 { // the first load, and a comparison
		got := w.full(syncrun.Trigger{})
		var found []string
		for _, warning := range got.Warnings {
			if warning.Code == "unresolved_memberships" {
				found = append(found, warning.Message)
			}
		}
		if len(found) != 1 || !strings.Contains(found[0], "not read: 7, such as") ||
			!strings.Contains(found[0], "uid=g1 of ") ||
			strings.Contains(found[0], "uid=g7") ||
			got.Report.Grants.Unresolved != 7 {
			t.Errorf("warnings %q, unresolved %d", found, got.Report.Grants.Unresolved)
		}
	}
	w.source.script = telling("c1", nil, person("a", "A", "a@x.test", nil), group("crew", "uid=a"))
	if got := w.full(syncrun.Trigger{}); len(got.Warnings) != 0 {
		t.Errorf("warnings of a run that resolved all: %v", got.Warnings)
	}
}

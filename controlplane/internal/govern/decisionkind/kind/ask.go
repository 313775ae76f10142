package kind

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// Assign makes people assignees of a task, each once, but for those who must not decide it.
func Assign(q *decision.New, people ...string) {
	for _, id := range people {
		known := func(a decision.Assignee) bool { return a.IdentityID == id }
		if !slices.Contains(q.NotFor, id) && !slices.ContainsFunc(q.Assignees, known) {
			q.Assignees = append(q.Assignees, decision.Assignee{IdentityID: id})
		}
	}
}

// Brief names things in a title: all of up to three, otherwise two and how many more.
func Brief(names []string) string {
	if len(names) <= 3 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:2], ", "), len(names)-2)
}

package notice_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

// The document lists every kind, in the order of the catalog.
func TestTheDocumentListsAllKinds(t *testing.T) {
	const path = "../../../../docs/notifications.md"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, k := range notice.Kinds {
		fmt.Fprintf(&want, "| %s | `%s` | `%s` | %s | %s |\n", k.Title, k.Name, k.Group, k.Who, k.When)
	}
	if !strings.Contains(string(b), want.String()) {
		t.Errorf("%s must have these rows:\n%s", path, want.String())
	}
}

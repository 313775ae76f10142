package audit_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// shaped is a text that looks like an action. Whatever has that shape, in a file that records, is one or stands in
// elsewhere.
var shaped = regexp.MustCompile(`"([a-z_]{2,}\.[a-z_]+)"`)

// elsewhere are texts of that shape that are no actions.
var elsewhere = []string{
	"audit_stream.ping", "audit.checkpoint", // kinds of syslog messages
	"webhook.ping", "webhook.posted", // an event, and a point in the code
	"src_endpoint.ip",                // a member of OCSF
	"deletion.missing_runs_required", // a field
}

// computed are actions whose name the code puts together, with the piece of code that does.
var computed = []struct {
	path, code string
	actions    []string
}{
	{
		"../../reach/syncrun/worker/finish.go",
		`"sync_run." + string(status)`,
		[]string{
			"sync_run.succeeded",
			"sync_run.partial",
			"sync_run.failed",
			"sync_run.cancelled",
			"sync_run.held",
			"sync_run.previewed",
		},
	},
	{"../../reach/agents/presence/watch.go", `string(event.AgentOnline)`, []string{"agent.online", "agent.offline"}},
	{
		"../../reach/reconcile/removal/audit.go",
		`o.object + "." + past[each.change]`,
		[]string{
			"identity.missing",
			"identity.removed",
			"identity.reappeared",
			"account.missing",
			"account.removed",
			"account.reappeared",
			"entitlement.missing",
			"entitlement.removed",
			"entitlement.reappeared",
			"grant.missing",
			"grant.removed",
			"grant.reappeared",
		},
	},
}

func TestEveryActionOfTheCodeIsInTheCatalog(t *testing.T) {
	known := map[string]bool{}
	for _, a := range audit.Catalog() {
		if known[a.Name] {
			t.Errorf("%s is in the catalog twice", a.Name)
		}
		if known[a.Name] = true; a.Meaning == "" || !strings.HasSuffix(a.Meaning, ".") {
			t.Errorf("%s has no meaning", a.Name)
		}
	}
	found, anywhere := map[string]string{}, map[string]bool{}
	for _, c := range computed {
		if b, err := os.ReadFile(c.path); err != nil || !strings.Contains(string(b), c.code) {
			t.Errorf("%s does not make names by %s: %v", c.path, c.code, err)
		}
		for _, name := range c.actions {
			found[name] = c.path
		}
	}
	look := func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasSuffix(path, "record/audit/catalog.go") || strings.HasSuffix(path, "record/audit/category.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		records := strings.Contains(string(b), "record/audit") || strings.Contains(path, "/audit/")
		for _, m := range shaped.FindAllStringSubmatch(string(b), -1) {
			anywhere[m[1]] = true // a constant may stand in a file or package beside the one that records
			if records {
				found[m[1]] = path
			}
		}
		return nil
	}
	for _, root := range []string{"../..", "../../../cmd"} {
		if err := filepath.WalkDir(root, look); err != nil {
			t.Fatal(err)
		}
	}
	for name, path := range found {
		if !known[name] && !slices.Contains(elsewhere, name) {
			t.Errorf("%s (%s) is not in the catalog", name, path)
		}
	}
	for name := range known {
		// It is recorded by the command that restores a backup.
		if _, used := found[name]; !used && !anywhere[name] && name != "tenant.restored" {
			t.Errorf("%s is in the catalog and nobody records it", name)
		}
	}
}

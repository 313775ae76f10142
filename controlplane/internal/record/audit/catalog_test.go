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

// Ways in which the code names an action: in an entry, as the action of something that is recorded later, and as a constant.
var named = []*regexp.Regexp{
	regexp.MustCompile(`[Aa]ction:\s*"([a-z_]+\.[a-z_]+)"`),
	regexp.MustCompile(`[aA]ction[A-Z][A-Za-z]*\s*=\s*"([a-z_]+\.[a-z_]+)"`),
	regexp.MustCompile(`"((?:auth|user|users|identity|account|accounts|entitlement|grant|connector|sync_run|agent|tenant|api_token|webhook|audit|audit_stream|key|oidc|idp|provider)\.[a-z_]+)"`),
}

// elsewhere are texts of that shape that are no actions.
var elsewhere = []string{
	"audit_stream.ping", "audit.checkpoint", // kinds of syslog messages
	"webhook.ping", "webhook.posted", // an event, and a point in the code
}

// computed are actions whose name the code puts together.
var computed = []string{
	"sync_run.succeeded", "sync_run.partial", "sync_run.failed", "sync_run.cancelled", "sync_run.held", "sync_run.previewed",
	"agent.online", "agent.offline", "identity.missing", "identity.removed", "identity.reappeared", "account.missing", "account.removed", "account.reappeared",
	"entitlement.missing", "entitlement.removed", "entitlement.reappeared", "grant.missing", "grant.removed", "grant.reappeared",
}

func TestEveryActionOfTheCodeIsInTheCatalogue(t *testing.T) {
	known := map[string]bool{}
	for _, a := range audit.Catalog() {
		if known[a.Name] {
			t.Errorf("%s is in the catalogue twice", a.Name)
		}
		if known[a.Name] = true; a.Meaning == "" || !strings.HasSuffix(a.Meaning, ".") {
			t.Errorf("%s has no meaning", a.Name)
		}
	}
	found := map[string]string{}
	for _, name := range computed {
		found[name] = "computed"
	}
	look := func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "record/audit/catalog.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(b), "record/audit") && !strings.Contains(path, "/audit/") {
			return err
		}
		for _, pattern := range named {
			for _, m := range pattern.FindAllStringSubmatch(string(b), -1) {
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
			t.Errorf("%s (%s) is not in the catalogue", name, path)
		}
	}
	for name := range known {
		// A migration records the one, whoever restores a backup the other.
		if _, used := found[name]; !used && name != "audit.chain_started" && name != "tenant.restored" {
			t.Errorf("%s is in the catalogue and nobody records it", name)
		}
	}
}

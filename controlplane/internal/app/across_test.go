package app_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// across are the places that look beyond one tenant. Each must have a reason: finding whose turn it is, who signs in,
// or what belongs to the deployment. A new one is added here on purpose.
var across = []string{
	"app/backup/settle.go",    // rows of tables that belong to no tenant, counted after a restore
	"app/database/tenants.go", // lists of all tenants, for periodic jobs and operators' commands
	"app/wire_operations.go",  // numbers for metrics
	"ground/schema/version.go",
	"ground/seal/purpose_key.go",
	"ground/seal/rotate.go",
	"ground/seal/status.go",
	"ground/seal/verify.go", // what belongs to the deployment
	"app/welcome.go",        // whether there is a tenant at all
	"front/webhook/sweep.go",
	"front/webhook/worker.go",          // deliveries that are due, or over
	"ground/event/listen.go",           // tenants with events that a listener has not taken
	"ground/pg",                        // where it is made
	"ground/limit/store.go",            // how fast tokens are used, which concerns no tenant
	"ground/queue",                     // tenants with work that is due, and periodic jobs of the deployment
	"ground/replay/purge.go",           // answers whose day is over
	"govern/dashboard/worker.go",       // tenants whose findings have not been counted today
	"govern/signinrule/work.go",        // tenants whose rules for sign-in have not been evaluated today
	"govern/decisionkind/worker.go",    // tenants whose conditions are compared with their inbox
	"govern/decision/inbox/worker.go",  // decisions, delegations and leavers that are due
	"govern/notify/plan/dates.go",      // tenants whose dates are told
	"govern/notify/notify.go",          // whether the deployment has a mail server
	"reach/agents/relay/claim.go",      // calls for agents whose socket this process holds
	"reach/agents/presence/check.go",   // agents that were revoked
	"reach/agents/presence/watch.go",   // agents that have come or gone
	"reach/agents/hub/notification.go", // what other processes say of agents of any tenant
	"reach/provision/lane/worker.go",
	"reach/provision/upkeep/keep.go",     // people to plan for, changes to make, and what comes with time
	"reach/provision/upkeep/readback.go", // tenants with changes that were made and not seen
	"reach/reconcile/hold/expire.go",     // held runs that expired without a decision
	"reach/syncrun/callback/callback.go",
	"reach/syncrun/lease/open.go", // runs to work on, callbacks to send
	"record/audit/stream/claim.go",
	"record/audit/trail/retention.go",       // logs to send, to sign and to shorten
	"record/audit/trail/signingkey/keys.go", // the key that checkpoints are signed with
	"record/auth/passkey/challenge.go",      // challenges of sign-ins, before their tenant is known
	"record/auth/signing",                   // signing keys and epoch of the deployment
	"record/auth/signin/candidates.go",
	"record/auth/signin/link.go",
	"record/auth/signin/reset.go",
	"record/auth/sso/options.go",
	"record/auth/sso/flow.go",
	"record/auth/throttle",               // who signs in, before their tenant is known
	"record/auth/bearer/cross_tenant.go", // an operator's request is audited in both tenants
	"record/tenant/bootstrap.go",         // whether a slug is taken
	"record/tenant/list.go",
	"record/tenant/purge.go",
	"record/tenant/service.go",      // what operators do with tenants, and what is erased
	"record/workqueue/operators.go", // how much work of each tenant waits or is dead, and periodic jobs
}

func TestOnlyAFewPlacesLookBeyondOneTenant(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if text := string(b); strings.Contains(text, ".Across(") || strings.Contains(text, "FindAcross(") ||
			strings.Contains(text, ".Deployment(") || strings.Contains(text, ".Pool()") ||
			strings.Contains(text, ".InTenant(") {
			found[filepath.ToSlash(strings.TrimPrefix(path, "../"))] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range found {
		known := slices.ContainsFunc(across, func(a string) bool { return path == a || strings.HasPrefix(path, a+"/") })
		if !known && path != "ground/schema/check.go" { // looks at the catalog alone
			t.Errorf("%s looks beyond one tenant and is not on the list", path)
		}
	}
	for _, path := range across {
		if path != "ground/pg" && path != "ground/queue" &&
			!slices.ContainsFunc(slices.Collect(maps.Keys(found)), func(f string) bool {
				return f == path || strings.HasPrefix(f, path+"/")
			}) {
			t.Errorf("%s is on the list and looks beyond no tenant", path)
		}
	}
}

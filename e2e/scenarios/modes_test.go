package scenarios

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// lists are all that a run writes, with the member that names a record the same in every tenant.
var lists = []string{"/identities", "/accounts", "/entitlements", "/entitlements/grants"}

func TestASystemReadThroughAnAgentLooksExactlyAsWhenReadDirectly(t *testing.T) {
	t.Parallel()
	h, s := open(t, 400, 0)
	far := h.Tenant("far")
	agent := h.Agent(far, "site")
	directory, workspace, hr := s.state.Directory(), s.state.Workspace(), s.state.PersonnelWithRoles()
	directory.Purpose, workspace.Purpose = "both", "both"
	for _, c := range []api.Connector{hr, directory, workspace} {
		near := h.Sync(h.Admin, h.Connect(h.Admin, c), api.Sync{ChunkSize: 100})
		c.Mode, c.AgentID = "agent", agent.ID
		through := h.Sync(far, h.Connect(far, c), api.Sync{ChunkSize: 100})
		if diff := cmp.Diff(near.Counters, through.Counters); diff != "" {
			t.Errorf("%s: counters hosted against agent:\n%s", c.BusinessID, diff)
		}
		if near.Counters.Accounts == 0 || near.Counters.Identities == 0 || near.Counters.Grants == 0 {
			t.Errorf("%s: %+v; want some of each", c.BusinessID, near.Counters)
		}
	}
	hosted, remote := recorded(h, h.Admin), recorded(h, far)
	for _, list := range lists {
		if len(hosted[list]) == 0 {
			t.Errorf("%s is empty", list)
		}
		if diff := cmp.Diff(hosted[list], remote[list]); diff != "" {
			t.Errorf("%s: hosted against agent:\n%s", list, shorten(diff))
		}
	}
}

// recorded reads everything of a tenant, with its ids replaced by what they stand for and moments left out.
func recorded(h *harness.House, c *api.Client) map[string][]string {
	names := map[string]string{}
	raw := map[string][]map[string]any{}
	for _, c := range harness.All[map[string]any](h, c, "/connectors", nil) {
		names[c["id"].(string)] = c["business_id"].(string)
	}
	for _, list := range lists {
		raw[list] = harness.All[map[string]any](h, c, list, nil)
		for _, r := range raw[list] {
			key, _ := r["external_id"].(string)
			connector, _ := r["connector_id"].(string)
			names[r["id"].(string)] = list + " " + names[connector] + " " + key
		}
	}
	out := map[string][]string{}
	for list, records := range raw {
		for _, r := range records {
			text, err := json.Marshal(timeless(r, names))
			if err != nil {
				panic(err) // it came from JSON
			}
			out[list] = append(out[list], string(text))
		}
		slices.Sort(out[list])
	}
	return out
}

// timeless replaces ids and drops what differs from one moment to the next.
func timeless(v any, names map[string]string) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			if (strings.HasSuffix(key, "_at") && !strings.HasPrefix(key, "native_") && key != "granted_at") ||
				key == "version" ||
				key == "since" {
				continue
			}
			out[key] = timeless(value, names)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = timeless(v[i], names)
		}
		return out
	case string:
		if name, known := names[v]; known {
			return name
		}
	}
	return v
}

func shorten(text string) string {
	if len(text) > 4000 {
		return text[:4000] + "\n..."
	}
	return text
}

package harness

import (
	"encoding/json"
	"net/url"

	"github.com/grantwright/grantwright/e2e/api"
)

// Patch changes a connector by merge patch.
func (h *House) Patch(c *api.Client, connector string, change map[string]any) {
	h.t.Helper()
	h.check(c.Call(Context(h.t), "PATCH", "/connectors/"+connector, change, nil))
}

func path(r api.Run, part string) string {
	return "/connectors/" + r.ConnectorID + "/sync-runs/" + r.ID + "/" + part
}

// Holds is what a run holds.
func (h *House) Holds(c *api.Client, r api.Run) api.Holding {
	h.t.Helper()
	var out api.Holding
	h.check(c.Get(Context(h.t), path(r, "holds"), &out))
	return out
}

// Diff is what a run changes, in groups.
func (h *House) Diff(c *api.Client, r api.Run) api.Diff {
	h.t.Helper()
	var out api.Diff
	h.check(c.Get(Context(h.t), path(r, "diff"), &out))
	return out
}

// Changes are those of a run's changes that a query asks for.
func (h *House) Changes(c *api.Client, r api.Run, query url.Values) []api.Change {
	h.t.Helper()
	return All[api.Change](h, c, path(r, "changes"), query)
}

// Release applies what is held, or a part of it.
func (h *House) Release(c *api.Client, r api.Run, part map[string]any, count int64) error {
	h.t.Helper()
	decision := map[string]any{"comment": "seen and right", "expected_count": count, "digest": h.Holds(c, r).Digest}
	if part != nil {
		decision["subset"] = part
	}
	return c.Post(Context(h.t), path(r, "release"), decision, nil)
}

// Discard drops what is held.
func (h *House) Discard(c *api.Client, r api.Run) error {
	h.t.Helper()
	return c.Post(Context(h.t), path(r, "discard"), map[string]any{"comment": "nobody has left"}, nil)
}

// Safety replaces a connector's safety by its present one with a change.
func (h *House) Safety(c *api.Client, connector string, change map[string]any) {
	h.t.Helper()
	var raw map[string]json.RawMessage
	h.check(c.Get(Context(h.t), "/connectors/"+connector+"/safety", &raw))
	delete(raw, "effective")
	next := map[string]any{"reason": "wanted by the test"}
	for key, value := range raw {
		next[key] = value
	}
	for key, value := range change {
		next[key] = value
	}
	h.check(c.Call(Context(h.t), "PUT", "/connectors/"+connector+"/safety", next, nil))
}

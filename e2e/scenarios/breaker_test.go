package scenarios

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// mood is what a letter says about the writes to a system.
type mood struct {
	Type     string `json:"type"`
	Sequence int64  `json:"sequence"`
	Data     struct {
		ConnectorID string `json:"connector_id"`
		Name        string `json:"name"`
		Reason      string `json:"reason"`
		Waiting     int    `json:"waiting"`
	} `json:"data"`
}

// The sign-in of a directory may only read, so that every change is refused until the circuit breaker opens. An
// administrator gives it the rights and resumes writes.
func TestAWebhookIsToldThatWritesHaveStoppedAndThatTheyGoOn(t *testing.T) {
	t.Parallel()
	const people, failures = 4, 2
	h := harness.Open(t)
	c := h.Admin
	slapd := ldaptest.StartSlapd(t, ldaptest.Options{
		Org: ldaptest.Org{
			People: ldaptest.Staff(1),
			Groups: []ldaptest.Group{{Name: "crew", People: []string{"u000"}}},
		},
	})
	in := openInbox(t, "")
	k := makeHook(t, c, "operations", in.url, "connector.writes_stopped", "connector.writes_resumed")
	connector := readOnly(h, c, slapd)
	h.Sync(c, connector, api.Sync{})
	shape := h.Expect("200", c, "GET", "/connectors/"+connector+"/provisioning", nil)
	h.Expect("200", c, "PUT", "/connectors/"+connector+"/provisioning", map[string]any{
		"write_mode": "auto", "breaker": map[string]any{"max_failures": failures, "max_changes": 100, "window": "PT1H"},
	}, "If-Match", shape.Header.Get("ETag"))
	h.Expect("201", c, "POST", "/policies/access-grant", map[string]any{
		"name":       "everybody",
		"mode":       "enforce",
		"birthright": true,
		"subject": map[string]any{
			"match": "all",
			"rules": []any{map[string]any{"field": "kind", "op": "eq", "value": "human"}},
		},
		"resources": map[string]any{"connector_ids": []string{connector}},
	})
	for i := range people {
		h.Expect("201", c, "POST", "/identities", map[string]any{
			"external_id": fmt.Sprint(
				"B",
				i,
			),
			"email":      fmt.Sprintf("b%d@example.test", i),
			"first_name": fmt.Sprint("Bea", i),
			"last_name":  "Circuit breaker",
		})
	}
	stopped := heard(t, in, k, 1)[0]
	if stopped.Type != "connector.writes_stopped" || stopped.Data.ConnectorID != connector ||
		stopped.Data.Name != "Directory" ||
		stopped.Data.Reason == "" {
		t.Errorf("when the breaker opens, the webhook is told %+v", stopped)
	}
	if made := h.Total(c, "/accounts/provisioning-tasks?state=done"); made != 0 {
		t.Errorf("%d changes were made by a sign-in that may only read", made)
	}

	h.Patch(c, connector, map[string]any{
		"connection": map[string]any{
			"bind_dn": slapd.AdminDN,
		},
		"credentials": map[string]any{"bind_password": slapd.AdminPass},
	})
	h.Expect("200", c, "POST", "/connectors/"+connector+"/provisioning/breaker/reset", nil)
	resumed := heard(t, in, k, 2)[1]
	if resumed.Type != "connector.writes_resumed" || resumed.Sequence <= stopped.Sequence ||
		resumed.Data.ConnectorID != connector ||
		resumed.Data.Name != "Directory" ||
		resumed.Data.Reason != stopped.Data.Reason {
		t.Errorf("when writes are resumed, the webhook is told %+v after %+v", resumed, stopped)
	}
	h.Expect("200", c, "POST", "/accounts/provisioning-tasks/retry-failed", map[string]any{"connector_id": connector})
	saw := ""
	harness.Eventually(t, "all accounts are created once writes go on", func() bool {
		done := h.Total(c, "/accounts/provisioning-tasks?state=done")
		saw = fmt.Sprint(done)
		return done == people
	}, &saw)
	h.Expect("409 invalid_transition", c, "POST", "/connectors/"+connector+"/provisioning/breaker/reset", nil)
	if all := heard(t, in, k, 2); len(all) != 2 {
		t.Errorf("%d letters came; want one for the stop and one for the resumption: %+v", len(all), all)
	}
}

// readOnly connects a directory with a sign-in that may not write.
func readOnly(h *harness.House, c *api.Client, slapd *ldaptest.Server) string {
	settings := slapd.AuthConfig()
	password := settings["bind_password"]
	delete(settings, "bind_password")
	return h.Connect(c, api.Connector{
		BusinessID: "directory", Name: "Directory", Type: "ldap", Purpose: "target", Connection: settings,
		Credentials: map[string]any{"bind_password": password},
	})
}

// heard waits for n letters about the writes to systems, each of which is signed, and gives what they say in the order
// of events.
func heard(t *testing.T, in *inbox, k hook, n int) []mood {
	t.Helper()
	harness.Eventually(
		t,
		fmt.Sprintf("%d letters about writes arrive", n),
		func() bool { return len(in.letters()) >= n },
		nil,
	)
	var all []mood
	for _, l := range in.letters() {
		if !l.signedBy(t, k.Secret) {
			t.Errorf("the letter %s is not signed with the secret", l.ID)
		}
		var m mood
		if err := json.Unmarshal(l.Body, &m); err != nil {
			t.Fatalf("what arrived is no JSON: %v", err)
		}
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b mood) int { return int(a.Sequence - b.Sequence) })
	return all
}

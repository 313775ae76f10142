package webhook

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
)

const chatSecret = "of-the-workflow"

func TestTheURLOfAChatServiceIsACredential(t *testing.T) {
	h := open(t)
	to := receive(t, func(w http.ResponseWriter, d delivered) {
		_, _ = w.Write([]byte("there is no workflow " + d.path + "?sig=" + chatSecret))
	})
	full := to.server.URL + "/workflows/a1b2?sig=" + chatSecret
	id, _ := h.hook(full, map[string]any{"format": "teams"})
	h.run(h.service)
	h.publish(subscription.NewID())
	got := to.has(1)[0]
	var sent struct {
		Attachments []struct{ ContentType string }
	}
	if err := json.Unmarshal([]byte(got.body), &sent); err != nil || len(sent.Attachments) != 1 {
		t.Fatalf("%s: %v; want one card", got.body, err)
	}
	if got.path != "/workflows/a1b2" || !strings.Contains(got.body, "https://acme.example/people/") {
		t.Errorf("posted to %s: %s", got.path, got.body)
	}

	shown := to.server.URL + "/…"
	if w := h.call("admin", "GET", "/"+id, nil, 200); w["url"] != shown {
		t.Errorf("the URL is shown as %v; want %s", w["url"], shown)
	}
	h.call("admin", "POST", "/"+id+"/test", nil, 200)
	h.call("admin", "PATCH", "/"+id, map[string]any{"url": shown, "name": "renamed"}, 200)
	h.publish(subscription.NewID())
	if got := to.has(3)[2]; got.path != "/workflows/a1b2" {
		t.Errorf("after a change without another URL, a delivery goes to %s", got.path)
	}
	refused := h.call("admin", "PATCH", "/"+id, map[string]any{"format": "standard"}, 422)
	if refused["code"] != "credentials_required" {
		t.Errorf("a format that would show the URL is refused with %v", refused)
	}
	h.call("admin", "PATCH", "/"+id, map[string]any{"format": "slack"}, 200)
	h.nowhere(chatSecret)
	h.nowhere("a1b2")
}

func TestTheQueryOfAURLIsNotShown(t *testing.T) {
	h := open(t)
	to := receive(t, nil)
	id, _ := h.hook(to.server.URL+"/in?key="+chatSecret, nil)
	h.run(h.service)
	h.publish(subscription.NewID())
	to.has(1)
	if w := h.call("admin", "GET", "/"+id, nil, 200); w["url"] != to.server.URL+"/in?…" {
		t.Errorf("the URL is shown as %v", w["url"])
	}
	h.nowhere(chatSecret)
}

// nowhere fails if a secret stands in a table or in the log.
func (h *house) nowhere(secret string) {
	h.t.Helper()
	for _, table := range []string{"webhook", "webhook_delivery", "audit_event"} {
		if n := h.count(`select count(*) from ` + table + ` t where t::text like '%` + secret + `%'`); n > 0 {
			h.t.Errorf("%d rows of %s have %q", n, table, secret)
		}
	}
	if strings.Contains(h.log.String(), secret) {
		h.t.Errorf("the log has %q", secret)
	}
}

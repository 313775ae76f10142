package delivery

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
)

const console = "https://acme.example"

// stored is an event with this data.
func stored(t testing.TB, kind event.Kind, resource string, data map[string]any) event.Stored {
	t.Helper()
	raw, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return event.Stored{ID: "e", Kind: kind, ResourceType: resource, ResourceID: "r", Data: raw,
		At: time.Date(2026, 11, 29, 20, 0, 0, 0, time.UTC)}
}

// posted is the body of an event in a format.
func posted(t testing.TB, format string, e event.Stored) map[string]any {
	t.Helper()
	raw, _, err := Body(Origin{Tenant: "t", Console: console}, format, e)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// card is the Adaptive Card of a message to Teams.
func card(t testing.TB, message map[string]any) map[string]any {
	t.Helper()
	all, _ := message["attachments"].([]any)
	if message["type"] != "message" || len(all) != 1 {
		t.Fatalf("the message is %v; want one attachment", message)
	}
	only := all[0].(map[string]any)
	if only["contentType"] != "application/vnd.microsoft.card.adaptive" {
		t.Fatalf("the attachment is %v", only["contentType"])
	}
	return only["content"].(map[string]any)
}

func TestTheLibraryOfAdaptiveCardsHasNoComplaint(t *testing.T) {
	judge := "http://" + targettest.StartNode(t, "testdata/judge")
	ask := func(card map[string]any) (complaints []string) {
		raw, err := json.Marshal(card)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.Post(judge, "application/json", bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if err := json.NewDecoder(res.Body).Decode(&complaints); err != nil {
			t.Fatal(err)
		}
		return complaints
	}
	data := map[string]any{"name": "Payroll", "status": "held", "flapping": true, "counters": map[string]any{"n": 1}}
	for _, d := range event.Catalog {
		if found := ask(card(t, posted(t, Teams, stored(t, d.Kind, "identity", data)))); len(found) > 0 {
			t.Errorf("the card of %s: %v", d.Kind, found)
		}
	}
	bad := card(t, posted(t, Teams, stored(t, event.SyncHeld, "sync_run", data)))
	bad["actions"] = []any{map[string]any{"type": "Action.OpenUrl", "title": "no address"}}
	if len(ask(bad)) == 0 {
		t.Error("the library has no complaint about a button without an address")
	}
}

func TestANoticeLeadsToThePageOfItsResource(t *testing.T) {
	for _, c := range []struct {
		resource string
		data     map[string]any
		want     string
	}{
		{"identity", nil, "/people/r"},
		{"sync_run", map[string]any{"connector_id": "c"}, "/connectors/c/runs/r"},
		{"sync_run", nil, "/"},
		{"decision_task", nil, "/inbox?task=r"},
		{"something", nil, "/"},
	} {
		data := c.data
		if data == nil {
			data = map[string]any{}
		}
		sent := posted(t, Slack, stored(t, event.SyncHeld, c.resource, data))
		text, _ := json.Marshal(sent)
		if !strings.Contains(string(text), `"url":"`+console+c.want+`"`) {
			t.Errorf("%s leads elsewhere: %s", c.resource, text)
		}
	}
}

// TestNamesInNoticesAreNoMarkup puts hostile names into events: none may become a link, a mention or a format.
func TestNamesInNoticesAreNoMarkup(t *testing.T) {
	part := rapid.SampledFrom([]string{
		"[pay](http://evil.example)",
		"<!channel>",
		"<http://evil.example|pay>",
		"*b*",
		"_i_",
		"`c`",
		"~s~",
		"{{DATE(2020-01-01)}}",
		"# head",
		"&amp;",
		"\n",
		"Ann",
		"\u202e",
		"😀",
		strings.Repeat("x", 300),
	})
	rapid.Check(t, func(r *rapid.T) {
		name := strings.Join(rapid.SliceOfN(part, 1, 6).Draw(r, "name"), " ")
		e := stored(t, event.AgentOffline, "agent", map[string]any{"name": name})
		for _, f := range facts(t, posted(t, Teams, e)) {
			if strings.Contains(strings.ReplaceAll(f, `\[`, ""), "[") || strings.Contains(f, "{{") {
				r.Fatalf("the card has markup: %q", f)
			}
		}
		text, _ := json.Marshal(posted(t, Slack, e)["blocks"])
		var plain string
		if err := json.Unmarshal([]byte(`"`+strings.ReplaceAll(string(text), `"`, `\"`)+`"`), &plain); err == nil &&
			strings.ContainsAny(plain, "<>") {
			r.Fatalf("the message has markup: %s", plain)
		}
	})
}

// facts are the values of the facts of a card.
func facts(t testing.TB, message map[string]any) (all []string) {
	t.Helper()
	for _, b := range card(t, message)["body"].([]any) {
		list, _ := b.(map[string]any)["facts"].([]any)
		for _, f := range list {
			all = append(all, f.(map[string]any)["value"].(string))
		}
	}
	return all
}

func TestSlackMessagesKeepItsBounds(t *testing.T) {
	data := map[string]any{}
	for _, name := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		data["field_"+name] = strings.Repeat("long ", 500)
	}
	for _, b := range posted(t, Slack, stored(t, event.SyncHeld, "sync_run", data))["blocks"].([]any) {
		fields, _ := b.(map[string]any)["fields"].([]any)
		if len(fields) > 10 {
			t.Errorf("a section has %d fields; Slack takes 10", len(fields))
		}
		for _, f := range fields {
			if n := len(f.(map[string]any)["text"].(string)); n > 2000 {
				t.Errorf("a field has %d characters; Slack takes 2,000", n)
			}
		}
	}
}

package delivery

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
)

// notice is an event as people read it in a chat service.
type notice struct {
	title string
	text  string
	facts [][2]string // name and value
	link  string
}

// Bounds of a notice: chat services cut or refuse larger ones.
const (
	mostFacts = 12
	longest   = 200 // characters of a value
)

// newNotice describes an event: what its kind means, when it occurred, and the members of its data that people can
// read. IDs are left out, since the link leads to the resource.
func newNotice(from Origin, e event.Stored, data map[string]any) notice {
	d, known := event.Find(e.Kind)
	if !known {
		d.Title, d.Description = "Test message", "The webhook works: this is the test that an administrator sent."
	}
	n := notice{title: d.Title, text: d.Description, link: from.Console + pageOf(e, data)}
	n.facts = append(n.facts, [2]string{"Time", e.At.UTC().Format(time.DateTime) + " UTC"})
	for _, name := range slices.Sorted(maps.Keys(data)) {
		value := readable(data[name])
		if value == "" || name == "id" || name == "version" || strings.HasSuffix(name, "_id") {
			continue
		}
		if len(n.facts) < mostFacts {
			n.facts = append(n.facts, [2]string{labelOf(name), value})
		}
	}
	return n
}

// readable is a value in one line. It is empty for values that have no short form.
func readable(value any) string {
	var text string
	switch v := value.(type) {
	case string:
		text = strings.Join(strings.Fields(v), " ")
	case bool:
		text = map[bool]string{true: "yes", false: "no"}[v]
	case json.Number:
		text = v.String()
	case []any:
		parts := make([]string, 0, len(v))
		for _, item := range v {
			if s, is := item.(string); is {
				parts = append(parts, s)
			}
		}
		text = strings.Join(parts, ", ")
	}
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest-1]) + "…"
	}
	return text
}

// labelOf is the name of a member for people: reason_code becomes Reason code.
func labelOf(name string) string {
	words := strings.ReplaceAll(name, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

// pages are the console's pages of resources. %s is the resource's ID.
var pages = map[string]string{
	"identity":      "/people/%s",
	"request":       "/requests/%s",
	"agent":         "/settings/agents/%s",
	"connector":     "/connectors/%s",
	"decision_task": "/inbox?task=%s",
	"mitigation":    "/separation-of-duties/mitigations/%s",
	"webhook":       "/settings/webhooks/%s",
}

// pageOf is the path of the console's page about an event's resource; the dashboard if there is none.
func pageOf(e event.Stored, data map[string]any) string {
	if connector, is := data["connector_id"].(string); is && e.ResourceType == "sync_run" {
		return "/connectors/" + connector + "/runs/" + e.ResourceID
	}
	if page, known := pages[e.ResourceType]; known {
		return fmt.Sprintf(page, e.ResourceID)
	}
	return "/"
}

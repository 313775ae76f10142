package app_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const house = "github.com/grantwright/grantwright/"

// wings are the floors of the house, the lowest first. A package imports only wings beneath its own, and inside a wing only
// what rooms names.
var wings = []string{"protocol", "connectorkit", "ground", "record", "reach", "govern", "front", "app", "cmd"}

// rooms are the arrows inside a wing: a room and the rooms of the same wing that it may lean on.
var rooms = map[string][]string{
	"ground/pg": {"fault", "viewer", "loop"}, "ground/httpapi": {"fault", "viewer", "pg", "limit", "replay"}, "ground/schema": {"pg", "fault", "viewer"},
	"ground/seal": {"pg", "fault", "viewer"}, "ground/telemetry": {}, "ground/outbound": {"fault"}, "ground/embedded": {},
	"ground/limit": {"pg", "viewer"}, "ground/replay": {"pg", "viewer", "fault", "seal", "loop"}, "ground/loop": {},
	"ground/fault": {}, "ground/viewer": {}, "ground/span": {}, "ground/event": {"pg"},
	"record/audit": {}, "record/auth": {"audit", "tenant"}, "record/tenant": {"audit", "auth", "directory"},
	"record/directory": {"audit"}, "record/access": {"directory", "audit", "ledger"},
	"record/ledger": {}, "record/history": {"access", "audit", "directory", "ledger"}, "record/role": {"audit", "directory", "ledger"},
	"record/user": {"audit", "auth", "directory"}, "record/apitoken": {"audit", "auth", "directory"},
	"reach/dispatch": {}, "reach/mapping": {}, "reach/correlate": {}, "reach/agents": {"dispatch"}, "reach/connector": {"dispatch", "mapping"},
	"reach/fieldmap": {"connector", "mapping"}, "reach/onboard": {"connector", "fieldmap", "mapping", "syncrun"},
	"reach/syncrun": {"connector", "correlate", "dispatch", "fieldmap", "mapping", "reconcile"}, "reach/reconcile": {},
	"reach/schedule":  {"connector", "syncrun"},
	"reach/provision": {"connector", "dispatch", "shape"},
	"reach/shape":     {"connector", "dispatch", "mapping"}, "reach/drift": {"shape"},
	"govern/condition": {}, "govern/policy": {"condition"}, "govern/pack": {"condition", "policy"},
	"govern/decision": {}, "govern/approval": {"condition", "decision"}, "govern/chain": {"approval", "condition", "decision"}, "govern/fulfil": {},
	"govern/request":   {"approval", "catalogue", "chain", "condition", "decision", "fulfil"},
	"govern/matter":    {"decision", "pack"},
	"govern/rolemodel": {"condition", "decision", "policy"}, "govern/catalogue": {"approval", "condition"},
	"govern/dashboard": {"decision"},
	"front/apidocs":    {}, "front/console": {}, "front/webhook": {},
}

type listed struct {
	ImportPath string
	Imports    []string
}

func TestFloors(t *testing.T) {
	var arrows int
	for _, p := range list(t) {
		wing, room := place(p.ImportPath)
		if wing == "" {
			continue
		}
		for _, imported := range p.Imports {
			toWing, toRoom := place(imported)
			if toWing == "" || (toWing == wing && toRoom == room) {
				continue
			}
			arrows++
			if why := forbidden(wing, room, toWing, toRoom); why != "" {
				t.Errorf("%s imports %s: %s", strings.TrimPrefix(p.ImportPath, house), strings.TrimPrefix(imported, house), why)
			}
		}
	}
	if arrows < 30 {
		t.Errorf("only %d imports looked at: the list is not whole", arrows)
	}
}

func forbidden(wing, room, toWing, toRoom string) string {
	from, to := floor(wing), floor(toWing)
	switch {
	case to > from:
		return "that is a floor above"
	case wing == "front" && room == "webhook" && toWing == "record" && toRoom == "audit":
		return "" // its settings are audited like all others: docs/adr/0021
	case wing == "front" && toWing != "ground" && to > floor("connectorkit"):
		return "front stands on ground alone: it hears of the rest as events"
	case to < from || wing == "connectorkit" || wing == "protocol" || wing == "app" || wing == "cmd":
		return ""
	}
	allowed, known := rooms[wing+"/"+room]
	if !known {
		return "this room is not on the plan; add it to rooms"
	}
	for _, a := range allowed {
		if a == toRoom {
			return ""
		}
	}
	return "not an arrow of the plan inside " + wing
}

func floor(wing string) int {
	for i, w := range wings {
		if w == wing {
			return i
		}
	}
	return -1
}

// place tells the wing and room of a package; an empty wing is outside of the plan (tests' helpers, other modules).
func place(path string) (wing, room string) {
	rest, ours := strings.CutPrefix(path, house)
	if !ours {
		return "", ""
	}
	if inner, found := strings.CutPrefix(rest, "controlplane/internal/"); found {
		parts := strings.Split(inner, "/")
		switch {
		case parts[0] == "pgtest":
			return "", ""
		case len(parts) > 1:
			return parts[0], parts[1]
		}
		return parts[0], ""
	}
	switch {
	case strings.HasPrefix(rest, "controlplane/cmd/"):
		return "cmd", ""
	case strings.HasPrefix(rest, "protocol/"), strings.HasPrefix(rest, "connectorkit"):
		return strings.SplitN(rest, "/", 2)[0], ""
	}
	return "", ""
}

func list(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", house+"controlplane/...", house+"connectorkit/...", house+"protocol/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

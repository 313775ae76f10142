package app_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const project = "github.com/grantwright/grantwright/"

// layers are the layers of the architecture, the lowest first. A package imports only layers below its own, and inside
// its layer only what packages names.
var layers = []string{"protocol", "connectorkit", "ground", "record", "reach", "govern", "front", "app", "cmd"}

// packages are the imports inside a layer: a package and the packages of the same layer that it may import.
var packages = map[string][]string{
	"ground/pg": {
		"fault",
		"viewer",
		"loop",
	},
	"ground/httpapi": {"fault", "viewer", "pg", "limit", "replay"},
	"ground/schema":  {"pg", "fault", "viewer"},
	"ground/seal": {
		"pg",
		"fault",
		"viewer",
	},
	"ground/telemetry": {},
	"ground/outbound":  {"fault"},
	"ground/embedded":  {},
	"ground/limit": {
		"pg",
		"viewer",
	},
	"ground/replay":      {"pg", "viewer", "fault", "lease"},
	"ground/lease":       {},
	"ground/loop":        {},
	"ground/queue":       {"pg", "viewer", "fault", "lease", "loop"},
	"ground/fault":       {},
	"ground/mergepatch":  {"fault"},
	"ground/viewer":      {},
	"ground/span":        {},
	"ground/spreadsheet": {},
	"ground/event":       {"pg"},
	"ground/password":    {"fault"},
	"ground/pyexpr":      {},
	"record/audit":       {},
	"record/auth":        {"audit", "tenant"},
	"record/tenant":      {"audit", "directory"},
	"record/directory":   {"audit"},
	"record/access":      {"directory", "audit", "ledger"},
	"record/ledger":      {},
	"record/history":     {"access", "audit", "directory", "ledger"},
	"record/notice":      {},
	"record/role":        {"audit", "directory", "ledger"},
	"record/user":        {"audit", "auth", "directory"},
	"record/apitoken":    {"audit", "auth", "directory"},
	"record/workqueue":   {"audit", "directory"},
	"reach/dispatch":     {},
	"reach/mapping":      {},
	"reach/correlate":    {},
	"reach/agents":       {"dispatch"},
	"reach/connector":    {"dispatch", "mapping"},
	"reach/fieldmap":     {"connector", "mapping"},
	"reach/onboard":      {"connector", "fieldmap", "mapping", "syncrun"},
	"reach/syncrun":      {"connector", "correlate", "dispatch", "fieldmap", "mapping", "reconcile"},
	"reach/reconcile":    {},
	"reach/schedule":     {"connector", "provision", "syncrun"},
	"reach/provision":    {"connector", "dispatch", "shape"},
	"reach/shape":        {"connector", "dispatch", "mapping"},
	"reach/drift":        {"shape"},
	"govern/condition":   {},
	"govern/policy":      {"condition", "decision"},
	"govern/pack":        {"approval", "condition", "policy", "separation"},
	"govern/decision":    {"condition"},
	"govern/approval":    {"condition", "decision"},
	"govern/chain":       {"approval", "condition", "decision"},
	"govern/fulfil":      {},
	"govern/request": {
		"approval", "requestcatalog", "chain", "condition", "decision", "fulfil", "policy", "separation",
	},
	"govern/decisionkind":   {"decision", "notify", "pack", "policy", "separation"},
	"govern/rolemodel":      {"condition", "decision", "policy", "separation"},
	"govern/requestcatalog": {"approval", "condition", "policy"},
	"govern/dashboard":      {"decision", "policy", "separation"},
	"govern/notify":         {},
	"govern/signinrule":     {"condition"},
	"front/apidocs":         {},
	"front/console":         {},
	"front/webhook":         {},

	"govern/separation": {"condition", "decision"},
}

type listed struct {
	ImportPath string
	Imports    []string
}

func TestFloors(t *testing.T) {
	imports := 0
	folders := map[[2]string]string{}
	for _, p := range list(t) {
		for _, imported := range p.Imports {
			if a, b, apart := siblings(p.ImportPath, imported); apart {
				folders[[2]string{a, b}] = strings.TrimPrefix(p.ImportPath, project)
			}
		}
		layer, name := place(p.ImportPath)
		if layer == "" {
			continue
		}
		for _, imported := range p.Imports {
			toLayer, toName := place(imported)
			if toLayer == "" || (toLayer == layer && toName == name) {
				continue
			}
			imports++
			if why := forbidden(layer, name, toLayer, toName); why != "" {
				t.Errorf(
					"%s imports %s: %s",
					strings.TrimPrefix(p.ImportPath, project),
					strings.TrimPrefix(imported, project),
					why,
				)
			}
		}
	}
	if imports < 30 {
		t.Errorf("only %d imports were checked: the list is incomplete", imports)
	}
	for pair, from := range folders {
		if back := folders[[2]string{pair[1], pair[0]}]; back != "" && pair[0] < pair[1] {
			t.Errorf(
				"the folders %s and %s import each other, by %s and %s: move what both need below them",
				pair[0],
				pair[1],
				from,
				back,
			)
		}
	}
}

// siblings are the folders just below the lowest common parent of two packages of the project.
func siblings(from, to string) (a, b string, apart bool) {
	from, ours := strings.CutPrefix(from, project)
	to, both := strings.CutPrefix(to, project)
	if !ours || !both {
		return "", "", false
	}
	x, y := strings.Split(from, "/"), strings.Split(to, "/")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return strings.Join(x[:i+1], "/"), strings.Join(y[:i+1], "/"), true
		}
	}
	return "", "", false
}

func forbidden(layer, name, toLayer, toName string) string {
	from, to := height(layer), height(toLayer)
	switch {
	case to > from:
		return "that is a higher layer"
	case layer == "front" && name == "webhook" && toLayer == "record" && toName == "audit":
		return "" // its settings are audited like all others: docs/adr/0021
	case layer == "front" && toLayer != "ground" && to > height("connectorkit"):
		return "front imports ground alone: it learns of the rest by events"
	case to < from || layer == "connectorkit" || layer == "protocol" || layer == "app" || layer == "cmd":
		return ""
	}
	allowed, known := packages[layer+"/"+name]
	if !known {
		return "this package is not listed; add it to packages"
	}
	if slices.Contains(allowed, toName) {
		return ""
	}
	return "not an import that packages allows inside " + layer
}

func height(layer string) int { return slices.Index(layers, layer) }

// place tells the layer and name of a package; an empty layer is outside of the plan (tests' helpers, other modules).
func place(path string) (layer, name string) {
	rest, ours := strings.CutPrefix(path, project)
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
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", project+"controlplane/...",
		project+"connectorkit/...", project+"protocol/...").
		Output()
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

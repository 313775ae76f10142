package scenarios

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The console's budgets, in bytes as they are sent: packed.
const (
	firstLoadBudget = 260_000 // JavaScript before the first page shows anything, that page's own included
	routeBudget     = 15_000  // what a page brings that no other needs, and what each piece that several share has
	pageBudget      = 106_000 // all that a page needs after the first load, when it is the first to be opened
)

// chunk is a file of the build with what it needs, as vite's manifest has it.
type chunk struct {
	File    string   `json:"file"`
	Imports []string `json:"imports"`
	Dynamic []string `json:"dynamicImports"`
	IsEntry bool     `json:"isEntry"`
}

// bundle is the console as it was built.
type bundle struct {
	t     *testing.T
	dir   string
	parts map[string]chunk
}

// TestTheConsoleKeepsToItsBudgets weighs what a browser has to fetch.
func TestTheConsoleKeepsToItsBudgets(t *testing.T) {
	t.Parallel()
	b := bundle{t: t, dir: filepath.Join("..", "..", "controlplane", "console", "dist")}
	raw, err := os.ReadFile(filepath.Join(b.dir, ".vite", "manifest.json"))
	if err != nil {
		t.Fatalf("the console has not been built; `make console` does: %v", err)
	}
	if err := json.Unmarshal(raw, &b.parts); err != nil {
		t.Fatal(err)
	}
	entry := slices.Sorted(func(yield func(string) bool) {
		for name, c := range b.parts {
			if c.IsEntry && !yield(name) {
				return
			}
		}
	})
	if len(entry) != 1 {
		t.Fatalf("the build begins with %v; want one file", entry)
	}
	first := b.needs(entry[0])
	routes := b.parts[entry[0]].Dynamic
	if len(routes) < 20 {
		t.Fatalf("the build has %d pages; want one for each screen", len(routes))
	}
	users := b.users(routes, first)
	heaviest, most := "", 0
	for _, route := range routes {
		own, all := 0, 0
		for name := range b.needs(route) {
			switch {
			case first[name]:
			case len(users[name]) == 1:
				own += b.weight(name)
				fallthrough
			default:
				all += b.weight(name)
			}
		}
		if all > pageBudget {
			t.Errorf("to open the page %s, %d bytes are fetched; want at most %d", route, all, pageBudget)
		}
		if own > routeBudget {
			t.Errorf("the page %s brings %d bytes; want at most %d", route, own, routeBudget)
		}
		if own > most {
			heaviest, most = route, own
		}
	}
	for name, of := range users {
		if n := b.weight(name); len(of) > 1 && n > routeBudget {
			t.Errorf("%s, which %d pages share, has %d bytes; want at most %d", name, len(of), n, routeBudget)
		}
	}
	whole := b.sum(first)
	if whole > firstLoadBudget {
		t.Errorf("before the first page there are %d bytes of JavaScript; want at most %d", whole, firstLoadBudget)
	}
	t.Logf("first load %d bytes; heaviest of %d pages %s with %d bytes", whole, len(routes), heaviest, most)
}

// needs are a file and all that it imports at once.
func (b bundle) needs(name string) map[string]bool {
	all := map[string]bool{}
	var add func(string)
	add = func(name string) {
		if !all[name] {
			all[name] = true
			for _, next := range b.parts[name].Imports {
				add(next)
			}
		}
	}
	add(name)
	return all
}

// users are the pages that need each file which the first load has not brought.
func (b bundle) users(routes []string, first map[string]bool) map[string][]string {
	of := map[string][]string{}
	for _, route := range routes {
		for name := range b.needs(route) {
			if !first[name] {
				of[name] = append(of[name], route)
			}
		}
	}
	return of
}

func (b bundle) sum(names map[string]bool) (n int) {
	for name := range names {
		n += b.weight(name)
	}
	return n
}

// weight is the size of a file as it is sent.
func (b bundle) weight(name string) int {
	b.t.Helper()
	info, err := os.Stat(filepath.Join(b.dir, b.parts[name].File+".gz"))
	if err != nil {
		b.t.Fatal(err)
	}
	return int(info.Size())
}

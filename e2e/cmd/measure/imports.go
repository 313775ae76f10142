package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const modulePrefix = "github.com/grantwright/grantwright/"

// graph is who imports whom: folders of Go, or files of the console.
type graph map[string][]string

// readImports reads which packages of the product import which, tests aside.
func readImports(root string) (graph, error) {
	g := graph{}
	for _, module := range []string{"protocol", "connectorkit", "agent", "controlplane"} {
		err := walk(filepath.Join(root, module), func(file string, text []byte) error {
			if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return nil
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, filepath.Dir(file))
			if err != nil {
				return err
			}
			dir := filepath.ToSlash(rel)
			for _, i := range parsed.Imports {
				name, err := strconv.Unquote(i.Path.Value)
				if err != nil {
					return err
				}
				if to, ok := strings.CutPrefix(name, modulePrefix); ok && !slices.Contains(g[dir], to) {
					g[dir] = append(g[dir], to)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return g, nil
}

// longestChain is the longest way from package to package along imports.
func (g graph) longestChain() []string {
	known := map[string][]string{}
	var from func(string) []string
	from = func(node string) []string {
		if way, ok := known[node]; ok {
			return way
		}
		known[node] = []string{node} // Go has no circles of packages
		var best []string
		for _, to := range g[node] {
			if way := from(to); len(way) > len(best) {
				best = way
			}
		}
		known[node] = append([]string{node}, best...)
		return known[node]
	}
	var longest []string
	for node := range g {
		if way := from(node); len(way) > len(longest) {
			longest = way
		}
	}
	return longest
}

// folderPairs are pairs of sibling folders, at any depth, with imports in both directions.
func (g graph) folderPairs() []string {
	arrows := map[[2]string]bool{}
	for from, all := range g {
		for _, to := range all {
			if a, b, ok := siblings(from, to); ok {
				arrows[[2]string{a, b}] = true
			}
		}
	}
	var pairs []string
	for arrow := range arrows {
		if arrow[0] < arrow[1] && arrows[[2]string{arrow[1], arrow[0]}] {
			pairs = append(pairs, fmt.Sprintf("%s and %s", arrow[0], arrow[1]))
		}
	}
	slices.Sort(pairs)
	return pairs
}

// siblings are the two folders below the lowest common parent in which from and to are.
func siblings(from, to string) (a, b string, ok bool) {
	x, y := strings.Split(from, "/"), strings.Split(to, "/")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return path.Join(x[:i+1]...), path.Join(y[:i+1]...), true
		}
	}
	return "", "", false
}

var scriptImport = regexp.MustCompile(
	`(?m)^(?:import|export)\s+(?:type\s)?[^;]*?from\s+"(\.[^"]+)";|^import\s+"(\.[^"]+)";`,
)

// readScripts reads which files of the console import which. Imports of types alone make no circle at run time, and are
// counted all the same: a reader goes round in them.
func readScripts(root string) (graph, error) {
	g := graph{}
	src := filepath.Join(root, "controlplane/console/src")
	err := walk(src, func(file string, text []byte) error {
		rel, err := filepath.Rel(src, file)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(filepath.Ext(file), ".ts") {
			return nil
		}
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.ToSlash(rel), ".tsx"), ".ts")
		g[name] = append(g[name], []string{}...)
		for _, m := range scriptImport.FindAllStringSubmatch(string(text), -1) {
			g[name] = append(g[name], path.Join(path.Dir(name), m[1]+m[2]))
		}
		return nil
	})
	return g, err
}

// circles are the groups of nodes that reach each other (Tarjan's strongly connected components of more than one node).
func (g graph) circles() [][]string {
	t := tarjan{g: g, index: map[string]int{}, low: map[string]int{}, on: map[string]bool{}}
	for node := range g {
		if _, seen := t.index[node]; !seen {
			t.visit(node)
		}
	}
	return t.found
}

type tarjan struct {
	g          graph
	index, low map[string]int
	on         map[string]bool
	stack      []string
	found      [][]string
}

func (t *tarjan) visit(node string) {
	t.index[node] = len(t.index)
	t.low[node] = t.index[node]
	t.stack = append(t.stack, node)
	t.on[node] = true
	for _, to := range t.g[node] {
		if _, seen := t.index[to]; !seen {
			t.visit(to)
			t.low[node] = min(t.low[node], t.low[to])
		} else if t.on[to] {
			t.low[node] = min(t.low[node], t.index[to])
		}
	}
	if t.low[node] != t.index[node] {
		return
	}
	at := slices.Index(t.stack, node)
	group := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, n := range group {
		t.on[n] = false
	}
	if len(group) > 1 {
		t.found = append(t.found, group)
	}
}

func shortened(chain []string) string {
	var names []string
	for _, dir := range chain {
		names = append(names, path.Base(dir))
	}
	return strings.Join(names, " → ")
}

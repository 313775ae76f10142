package document

import (
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/archive"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
)

// Document is a pack as a tree of maps, lists, texts, int64, float64 and bool values, and where each part of it is.
type Document struct {
	Root    map[string]any
	Locales map[string]map[string]string // texts by language and by pointer into a kind: roles/ward-nurse/name
	Places  map[string]diagnostic.Place
}

// Read puts the files of a pack together. The list has what is wrong with them; strict makes a file that the format
// does not know an error.
func Read(files archive.Files, strict bool) (Document, *diagnostic.List) {
	d := Document{
		Root:    map[string]any{},
		Locales: map[string]map[string]string{},
		Places:  map[string]diagnostic.Place{},
	}
	l := &diagnostic.List{Places: d.Places}
	manifest, ok := files[archive.ManifestName]
	if !ok {
		l.Problems = append(
			l.Problems,
			diagnostic.InFile(
				"",
				0,
				"no_manifest",
				"put it at the top of the pack, not into a folder",
				"there is no pack.yaml",
			),
		)
		return d, l
	}
	d.Places[""] = diagnostic.Place{File: archive.ManifestName, Line: 1}
	total := 0
	parse := func(name string, content []byte) *yaml.Node {
		if total += len(content); len(content) > maxYAML || total > maxAllYAML {
			l.Problems = append(
				l.Problems,
				diagnostic.InFile(
					name,
					0,
					"file_too_large",
					"split it",
					"a YAML file has at most %d bytes, all of them %d",
					maxYAML,
					maxAllYAML,
				),
			)
			return nil
		}
		node, problem := parseYAML(name, content)
		if problem != nil {
			l.Problems = append(l.Problems, *problem)
		}
		return node
	}
	if node := parse(archive.ManifestName, manifest); node != nil {
		r := &reader{file: archive.ManifestName, d: &d, l: l}
		if root, ok := r.value(node, "", 0).(map[string]any); ok {
			d.Root = root
		} else {
			l.Problems = append(
				l.Problems,
				diagnostic.InFile(
					archive.ManifestName,
					1,
					"wrong_type",
					"begin with apiVersion: grantwright.pack/v1",
					"the file holds no mapping",
				),
			)
		}
	}
	for _, name := range files.Names() {
		if len(l.Problems) >= diagnostic.MaxProblems {
			break
		}
		switch folder := path.Dir(name); {
		case name == archive.ManifestName:
		case !archive.Known(name):
			p := diagnostic.InFile(
				name,
				0,
				"unknown_file",
				"a pack holds pack.yaml, .yaml files in folders of kinds, locales and tests, and README, LICENSE, "+
					"NOTICE or CHANGELOG",
				"the format has no place for this file",
			)
			if !strict {
				p.Severity = diagnostic.Warning
			}
			l.Problems = append(l.Problems, p)
		case folder == "locales":
			if node := parse(name, files[name]); node != nil {
				d.locale(name, node, l)
			}
		case folder != ".":
			if node := parse(name, files[name]); node != nil {
				d.object(folder, name, node, l)
			}
		}
	}
	return d, l
}

// object adds a file of a kind's folder to the list of that kind.
func (d *Document) object(kind, name string, node *yaml.Node, l *diagnostic.List) {
	before, _ := d.Root[kind].([]any)
	if d.Root[kind] != nil && before == nil {
		return // it is no list, which the schema reports
	}
	r := &reader{file: name, d: d, l: l}
	nodes := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		nodes = node.Content
	}
	for _, n := range nodes {
		before = append(before, r.value(n, diagnostic.Under("/"+kind, len(before)), 1))
	}
	d.Root[kind] = before
}

// locale reads the texts of a language: a mapping of mappings, by kind, object and member.
func (d *Document) locale(name string, node *yaml.Node, l *diagnostic.List) {
	language := strings.TrimSuffix(path.Base(name), ".yaml")
	r := &reader{file: name, d: d, l: l}
	texts := map[string]string{}
	flatten(r.value(node, "/locales/"+language, 0), "", texts, func(at string) {
		l.Fail(
			"wrong_type",
			"/locales/"+language+at,
			"write kind, key, member and text, such as roles: {ward-nurse: {name: Stationspflege}}",
			"a language file contains only texts",
		)
	})
	d.Locales[language] = texts
}

// flatten puts the texts of a tree into a map, by their pointer without the first slash. bad is
// called for what is no text.
func flatten(v any, at string, into map[string]string, bad func(at string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, child := range v {
			flatten(child, diagnostic.Under(at, name), into, bad)
		}
	case string:
		into[strings.TrimPrefix(at, "/")] = v
	default:
		bad(at)
	}
}

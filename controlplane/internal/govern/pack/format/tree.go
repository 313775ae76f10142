package format

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const maxNesting = 32 // objects and lists within one another

// document is a pack as a tree of maps, lists, texts, numbers and truth values, and where each part of it stands.
type document struct {
	root    map[string]any
	locales map[string]map[string]string // texts by language and by pointer into a kind: roles/ward-nurse/name
	places  map[string]place
}

// read puts the files of a pack together.
func read(files Files, strict bool) (document, *list) {
	d := document{root: map[string]any{}, locales: map[string]map[string]string{}, places: map[string]place{}}
	l := &list{places: d.places}
	manifest, ok := files[manifestName]
	if !ok {
		l.problems = append(
			l.problems,
			inFile("", 0, "no_manifest", "put it at the top of the pack, not into a folder", "there is no pack.yaml"),
		)
		return d, l
	}
	d.places[""] = place{manifestName, 1}
	total := 0
	parse := func(name string, content []byte) *yaml.Node {
		if total += len(content); len(content) > maxYAML || total > maxAllYAML {
			l.problems = append(
				l.problems,
				inFile(
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
			l.problems = append(l.problems, *problem)
		}
		return node
	}
	if node := parse(manifestName, manifest); node != nil {
		r := &reader{file: manifestName, d: &d, l: l}
		if root, ok := r.value(node, "", 0).(map[string]any); ok {
			d.root = root
		} else {
			l.problems = append(
				l.problems,
				inFile(
					manifestName,
					1,
					"wrong_type",
					"begin with apiVersion: grantwright.pack/v1",
					"the file holds no mapping",
				),
			)
		}
	}
	for _, name := range files.Names() {
		if len(l.problems) >= most {
			break
		}
		switch folder := path.Dir(name); {
		case name == manifestName:
		case !known(name):
			p := inFile(
				name,
				0,
				"unknown_file",
				"a pack holds pack.yaml, .yaml files in folders of kinds, locales and tests, and README, LICENSE, "+
					"NOTICE or CHANGELOG",
				"the format has no place for this file",
			)
			if !strict {
				p.Severity = Warning
			}
			l.problems = append(l.problems, p)
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
func (d *document) object(kind, name string, node *yaml.Node, l *list) {
	before, _ := d.root[kind].([]any)
	if d.root[kind] != nil && before == nil {
		return // it is no list, which the schema tells
	}
	r := &reader{file: name, d: d, l: l}
	nodes := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		nodes = node.Content
	}
	for _, n := range nodes {
		before = append(before, r.value(n, under("/"+kind, len(before)), 1))
	}
	d.root[kind] = before
}

// locale reads the texts of a language: a mapping of mappings, by kind, object and member.
func (d *document) locale(name string, node *yaml.Node, l *list) {
	language := strings.TrimSuffix(path.Base(name), ".yaml")
	r := &reader{file: name, d: d, l: l}
	texts := map[string]string{}
	flatten(r.value(node, "/locales/"+language, 0), "", texts, func(at string) {
		l.fail(
			"wrong_type",
			"/locales/"+language+at,
			"write kind, key, member and text, such as roles: {ward-nurse: {name: Stationspflege}}",
			"a language file contains only texts",
		)
	})
	d.locales[language] = texts
}

func flatten(v any, at string, into map[string]string, bad func(at string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, child := range v {
			flatten(child, under(at, name), into, bad)
		}
	case string:
		into[strings.TrimPrefix(at, "/")] = v
	default:
		bad(at)
	}
}

var yamlLine = regexp.MustCompile(`line (\d+): (.*)`)

// parseYAML reads one document.
func parseYAML(file string, content []byte) (*yaml.Node, *Problem) {
	fail := func(line int, code, mend, message string, args ...any) (*yaml.Node, *Problem) {
		p := inFile(file, line, code, mend, message, args...)
		return nil, &p
	}
	if !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 {
		return fail(0, "invalid_encoding", "save it as UTF-8", "the file is not UTF-8")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var node, more yaml.Node
	if err := decode(decoder, &node); err != nil {
		if errors.Is(err, io.EOF) {
			return fail(1, "empty_file", "remove it, or write an object into it", "the file is empty")
		}
		line, text := 0, strings.TrimPrefix(err.Error(), "yaml: ")
		if m := yamlLine.FindStringSubmatch(text); m != nil {
			line, _ = strconv.Atoi(m[1])
			text = m[2]
		}
		return fail(
			line,
			"invalid_yaml",
			"look at indentation, colons and quotes around there",
			"this is no YAML: %s",
			text,
		)
	}
	if err := decode(decoder, &more); !errors.Is(err, io.EOF) {
		return fail(more.Line, "several_documents", "write a list instead", "a file holds one YAML document")
	}
	if len(node.Content) != 1 {
		return fail(1, "empty_file", "remove it, or write an object into it", "the file is empty")
	}
	return node.Content[0], nil
}

// decode keeps a mistake of the parser from ending the process.
func decode(d *yaml.Decoder, node *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it cannot be read (%v)", r)
		}
	}()
	return d.Decode(node)
}

// reader turns a file's nodes into values.
type reader struct {
	file string
	d    *document
	l    *list
}

func (r *reader) fail(n *yaml.Node, pointer, code, mend, message string, args ...any) any {
	p := inFile(r.file, n.Line, code, mend, message, args...)
	p.Pointer = "#" + pointer
	if len(r.l.problems) < most {
		r.l.problems = append(r.l.problems, p)
	}
	return nil
}

func (r *reader) value(n *yaml.Node, pointer string, depth int) any {
	r.d.places[pointer] = place{r.file, n.Line}
	if depth > maxNesting {
		return r.fail(n, pointer, "too_deep", "write it flatter", "values are nested deeper than %d", maxNesting)
	}
	// A few aliases of aliases would be gigabytes.
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return r.fail(
			n,
			pointer,
			"alias",
			"write the value out, or make it a parameter",
			"anchors (&) and aliases (*) are not allowed in a pack",
		)
	}
	switch n.Kind {
	case yaml.MappingNode:
		return r.mapping(n, pointer, depth)
	case yaml.SequenceNode:
		if n.ShortTag() != "!!seq" {
			return r.fail(
				n,
				pointer,
				"unknown_tag",
				"leave the tag out",
				"the tag %s has no meaning in a pack",
				printable(n.Tag),
			)
		}
		out := make([]any, len(n.Content))
		for i, c := range n.Content {
			out[i] = r.value(c, under(pointer, i), depth+1)
		}
		return out
	}
	return r.scalar(n, pointer)
}

func (r *reader) mapping(n *yaml.Node, pointer string, depth int) any {
	if n.ShortTag() != "!!map" {
		return r.fail(
			n,
			pointer,
			"unknown_tag",
			"leave the tag out",
			"the tag %s has no meaning in a pack",
			printable(n.Tag),
		)
	}
	out := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode || key.Anchor != "":
			r.fail(key, pointer, "wrong_type", "use a word", "the name of a member is a text")
			continue
		case key.ShortTag() == "!!merge":
			r.fail(key, pointer, "alias", "write the members out", "merge keys (<<) are not allowed in a pack")
			continue
		}
		if _, twice := out[key.Value]; twice {
			r.fail(
				key,
				under(pointer, key.Value),
				"duplicate_member",
				"remove one of them",
				"%q occurs twice",
				printable(key.Value),
			)
			continue
		}
		at := under(pointer, key.Value)
		out[key.Value] = r.value(n.Content[i+1], at, depth+1)
		r.d.places[at] = place{r.file, key.Line}
	}
	return out
}

// A date is a text here: it is written as people write it.

func (r *reader) scalar(n *yaml.Node, pointer string) any {
	switch tag := n.ShortTag(); {
	case tag == "!!null":
		return nil
	case tag == "!!bool":
		return strings.EqualFold(n.Value, "true")
	case tag == "!!int":
		var i int64
		if err := n.Decode(&i); err != nil {
			return r.fail(n, pointer, "wrong_type", "put it into quotes if it is a text", "the number is too large")
		}
		return i
	case tag == "!!float":
		f, err := strconv.ParseFloat(strings.ReplaceAll(n.Value, "_", ""), 64)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return r.fail(
				n,
				pointer,
				"wrong_type",
				"put it into quotes if it is a text",
				"this is no number that can be kept",
			)
		}
		return f
	case tag == "!!str" || tag == "!!timestamp":
		return n.Value
	default:
		return r.fail(
			n,
			pointer,
			"unknown_tag",
			"leave the tag out",
			"the tag %s has no meaning in a pack",
			printable(n.Tag),
		)
	}
}

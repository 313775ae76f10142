package document

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/source"
)

// Read reads a document. Members that it does not have are problems: a word that is spelt wrong would otherwise be
// lost.
func Read(t source.Text, r *ruleset.Report) (s ruleset.Set) {
	var root yaml.Node
	if err := safely(func() error { return yaml.Unmarshal([]byte(t.Body), &root) }); err != nil {
		fail(t, r, err)
		return s
	}
	if len(root.Content) == 0 || root.Content[0].Kind != yaml.MappingNode {
		r.Add(
			t.Line(1),
			"",
			"malformed_yaml",
			"The file is no rule set. It begins with version: 1, and has duties and "+
				"policies.",
		)
		return s
	}
	top, before := root.Content[0], r.ProblemCount
	nodes := 0
	plain(t, top, 0, &nodes, r)
	if r.ProblemCount > before {
		return s
	}
	unknown(t, top, reflect.TypeFor[file](), "", r)
	if r.ProblemCount > before {
		return s
	}
	var f file
	if err := safely(func() error { return top.Decode(&f) }); err != nil {
		fail(t, r, err)
		return s
	}
	if f.Version != 1 {
		r.Add(t.Line(top.Line), "version", "unknown_version", "The version is %d. Set version: 1.", f.Version)
	}
	return f.set(t.Name, top)
}

// yamlLine takes the line out of an error of the YAML parser.
var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\s*)?line (\d+): (.*)`)

// fail reports the errors of the parser.
func fail(t source.Text, r *ruleset.Report, err error) {
	messages := []string{err.Error()}
	if many := (*yaml.TypeError)(nil); errors.As(err, &many) {
		messages = many.Errors
	}
	for _, m := range messages {
		line := 1
		if found := yamlLine.FindStringSubmatch(m); found != nil {
			line, _ = strconv.Atoi(found[1])
			m = found[2]
		}
		r.Add(t.Line(line), "", "malformed_yaml", "The YAML is malformed: %s. Correct the line.",
			strings.TrimPrefix(m, "yaml: "))
	}
}

// safely keeps a mistake of the parser from ending the process.
func safely(read func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it cannot be read (%v)", r)
		}
	}()
	return read()
}

const (
	deepest   = 16        // how deep values may be nested
	mostNodes = 6_000_000 // of all values
)

// plain finds what a rule set does not need: anchors and aliases, a few of which would be gigabytes, and values without
// end. What looks like a day stays the text that it is, except in the fields for times.
func plain(t source.Text, n *yaml.Node, depth int, nodes *int, r *ruleset.Report) {
	switch *nodes++; {
	case *nodes == mostNodes:
		r.Add(t.Line(n.Line), "", "too_large", "The document has more than %d values. Split it.", mostNodes)
	case *nodes > mostNodes:
		return
	case depth > deepest:
		r.Add(t.Line(n.Line), "", "too_deep", "Values are nested deeper than %d levels. Remove the nesting.", deepest)
		return
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.Add(t.Line(n.Line), "", "alias", "Anchors (&) and aliases (*) are not allowed. Write the value out.")
		return
	}
	for _, each := range n.Content {
		plain(t, each, depth+1, nodes, r)
	}
}

// unknown finds members that a type does not have, members that occur twice, and values of another type.
func unknown(t source.Text, n *yaml.Node, of reflect.Type, name string, r *ruleset.Report) {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	null := n.Kind == yaml.ScalarNode && n.Tag == "!!null"
	switch {
	case null && of.Kind() != reflect.Slice && of.Kind() != reflect.Struct:
	case of.Kind() == reflect.Map && n.Kind == yaml.MappingNode: // a condition, which is checked with the policy
	case of.Kind() == reflect.Map:
		r.Add(t.Line(n.Line), name, "malformed_yaml", "%s has members, such as name: value.", named(name))
	case of.Kind() == reflect.Slice && (n.Kind == yaml.SequenceNode || null):
		for _, each := range n.Content {
			unknown(t, each, of.Elem(), name, r)
		}
	case of.Kind() == reflect.Slice:
		r.Add(t.Line(n.Line), name, "malformed_yaml", "%s is a list. Begin each element with a dash.", named(name))
	case of.Kind() == reflect.Struct && of.Name() != "Time" && n.Kind == yaml.MappingNode:
		members(t, n, of, r)
	case of.Kind() == reflect.Struct && of.Name() != "Time":
		r.Add(t.Line(n.Line), name, "malformed_yaml", "%s has members, such as name: value.", named(name))
	case n.Kind != yaml.ScalarNode:
		r.Add(t.Line(n.Line), name, "malformed_yaml", "%s is a single value.", named(name))
	}
}

func named(field string) string {
	if field == "" {
		return "The document"
	}
	return field
}

// members checks the members of a mapping.
func members(t source.Text, n *yaml.Node, of reflect.Type, r *ruleset.Report) {
	known := map[string]reflect.Type{}
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("yaml"), ",")
		known[name] = of.Field(i).Type
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		each, there := known[name]
		if !there {
			r.Add(
				t.Line(n.Content[i].Line),
				name,
				"unknown_field",
				"The field %q is unknown. Remove it, or correct its "+
					"name.",
				name,
			)
			continue
		}
		unknown(t, n.Content[i+1], each, name, r)
	}
}

// child is a member of a mapping, or an empty node at the same line.
func child(n *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return &yaml.Node{Line: n.Line}
}

// element is an element of a list, or an empty node at the same line.
func element(n *yaml.Node, i int) *yaml.Node {
	if i < len(n.Content) {
		return n.Content[i]
	}
	return &yaml.Node{Line: n.Line}
}

package rolefile

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// yamlLine takes the line out of an error of the YAML parser.
var yamlLine = regexp.MustCompile(`line (\d+): (.*)`)

// readFile reads a file of roles. Members that it does not know are problems: a word that is spelt wrong would
// otherwise be lost.
func readFile(text string) (file, error) {
	var bad problems
	var root yaml.Node
	fail := func(err error) {
		messages := []string{err.Error()}
		if t := (*yaml.TypeError)(nil); errors.As(err, &t) {
			messages = t.Errors
		}
		for _, m := range messages {
			line := 1
			if found := yamlLine.FindStringSubmatch(m); found != nil {
				_, _ = fmt.Sscan(found[1], &line)
				m = found[2]
			}
			bad.add(line, "malformed_yaml", "%s", strings.TrimPrefix(m, "yaml: "))
		}
	}
	if err := safely(func() error { return yaml.Unmarshal([]byte(text), &root) }); err != nil {
		fail(err)
		return file{}, bad.fault()
	}
	var f file
	if len(root.Content) == 0 || root.Content[0].Kind != yaml.MappingNode {
		bad.add(1, "malformed_yaml", "a file of roles begins with version: 1, and has roles")
		return f, bad.fault()
	}
	plain(root.Content[0], 0, &bad)
	unknown(root.Content[0], reflect.TypeFor[file](), &bad)
	if len(bad) > 0 {
		return f, bad.fault()
	}
	if err := safely(func() error { return root.Decode(&f) }); err != nil {
		fail(err)
		return f, bad.fault()
	}
	if f.Version != 1 {
		bad.add(root.Content[0].Line, "unknown_version", "version must be 1")
	}
	nodes := listNode(root.Content[0], "roles")
	for i := range f.Roles {
		f.Roles[i].line = nodes[i].Line
	}
	f.check(&bad)
	return f, bad.fault()
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

// deepestYAML is how deep values may be nested.
const deepestYAML = 32

// plain finds what a file of values needs not: anchors and aliases, a few of which would be gigabytes, and values
// without end. What looks like a day stays the text that it is.
func plain(n *yaml.Node, depth int, bad *problems) {
	switch {
	case depth > deepestYAML:
		bad.add(n.Line, "too_deep", "values are nested deeper than %d", deepestYAML)
		return
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		bad.add(n.Line, "alias", "anchors (&) and aliases (*) are not allowed: write the value out")
		return
	case n.Tag == "!!timestamp":
		n.Tag = "!!str"
	}
	for _, each := range n.Content {
		plain(each, depth+1, bad)
	}
}

// listNode are the elements of a list that is a member of a mapping.
func listNode(n *yaml.Node, name string) []*yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1].Content
		}
	}
	return nil
}

// unknown finds members that a type does not have.
func unknown(n *yaml.Node, t reflect.Type, bad *problems) {
	switch {
	case n.Kind == yaml.SequenceNode && t.Kind() == reflect.Slice:
		for _, each := range n.Content {
			unknown(each, t.Elem(), bad)
		}
	case n.Kind == yaml.MappingNode && t.Kind() == reflect.Struct:
		members := map[string]reflect.Type{}
		for i := range t.NumField() {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); name != "" {
				members[name] = t.Field(i).Type
			}
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			of, known := members[n.Content[i].Value]
			if !known {
				bad.add(n.Content[i].Line, "unknown_member", "there is no member %q here", n.Content[i].Value)
				continue
			}
			unknown(n.Content[i+1], of, bad)
		}
	}
}

// check finds what is wrong with a file by itself.
func (f *file) check(bad *problems) {
	lines := map[string]int{}
	for _, r := range f.Roles {
		switch before, twice := lines[r.Key]; {
		case r.Key == "":
			bad.add(r.line, "required", "a role needs a key, by which it is known from one import to the next")
		case twice:
			bad.add(r.line, "duplicate_key", "the role %s is already in line %d", r.Key, before)
		}
		lines[r.Key] = r.line
		if !slices.Contains([]string{"", role.Draft, role.Active, role.Deprecated}, r.Lifecycle) {
			bad.add(
				r.line,
				"invalid",
				"the lifecycle of %s is draft, active or deprecated; a role is retired by POST …/retire",
				r.Key,
			)
		}
		if !slices.Contains(
			[]string{"", "birthright", "business", "application", "emergency", "technical"},
			r.RoleType,
		) {
			bad.add(
				r.line,
				"invalid",
				"the role_type of %s is birthright, business, application, emergency or technical",
				r.Key,
			)
		}
		if r.RiskLevel != nil && !slices.Contains([]string{"low", "medium", "high", "critical"}, *r.RiskLevel) {
			bad.add(r.line, "invalid", "the risk_level of %s is low, medium, high or critical", r.Key)
		}
	}
}

// ordered are the roles of a file, each after those that are nested in it.
func (f *file) ordered(bad *problems) []fileRole {
	byKey := map[string]fileRole{}
	for _, r := range f.Roles {
		byKey[r.Key] = r
	}
	var out []fileRole
	state := map[string]int{} // 1: on the way, 2: done
	var visit func(key string, way []string)
	visit = func(key string, way []string) {
		r, here := byKey[key]
		if !here || state[key] == 2 {
			return
		}
		if way = append(way, key); state[key] == 1 {
			bad.add(
				r.line,
				"role_cycle",
				"roles are nested in a circle: %s",
				strings.Join(way[slices.Index(way, key):], " > "),
			)
			return
		}
		state[key] = 1
		for _, child := range r.ChildRoles {
			visit(child, way)
		}
		state[key] = 2
		out = append(out, r)
	}
	for _, r := range f.Roles {
		visit(r.Key, nil)
	}
	return out
}

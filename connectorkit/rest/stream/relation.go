package stream

import (
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
)

// ParentRecord is the record that a child stream hangs on, with its own ancestors.
type ParentRecord struct {
	// What the record is.
	Object string
	// Its key.
	OwnKey string
	// Its keys, by the place of the child stream that uses them.
	ChildKeys []string
	// Placeholder that its key fills.
	param string
	// Key is the key that children use: a path of theirs in the record, or OwnKey.
	Key    string
	Parent *ParentRecord
}

// For is the ancestor as the i-th child stream sees it, nil when it has no key for that.
func (a *ParentRecord) For(child *Stream, i int) *ParentRecord {
	if a.ChildKeys[i] == "" {
		return nil
	}
	return &ParentRecord{
		Object: a.Object,
		OwnKey: a.OwnKey,
		param:  child.Parent.Param,
		Key:    a.ChildKeys[i],
		Parent: a.Parent,
	}
}

// Value is the key by which a placeholder is replaced.
func (a *ParentRecord) Value(param string) (string, bool) {
	for ; a != nil; a = a.Parent {
		if a.param == param {
			return a.Key, true
		}
	}
	return "", false
}

// Fill replaces the placeholders in text; other braces stay as they are.
func (a *ParentRecord) Fill(text string, escape func(string) string) string {
	if a == nil || !strings.Contains(text, "{") {
		return text
	}
	var pairs []string
	for at := a; at != nil; at = at.Parent {
		key := at.Key
		if escape != nil {
			key = escape(key)
		}
		pairs = append(pairs, "{"+at.param+"}", key)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// FillAll replaces the placeholders in all texts of a JSON value and gives a copy.
func (a *ParentRecord) FillAll(v any) any {
	switch v := v.(type) {
	case string:
		return a.Fill(v, nil)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = a.FillAll(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			out[name] = a.FillAll(e)
		}
		return out
	}
	return v
}

// linkDeletedLists joins streams to those that tell what was deleted of them.
func linkDeletedLists(streams []*Stream, byName map[string]*Stream) []string {
	var problems []string
	for _, st := range streams {
		if st.Changes == nil || st.Changes.Deletes == nil || st.Changes.Deletes.Stream == "" {
			continue
		}
		name := st.Changes.Deletes.Stream
		other := byName[name]
		switch {
		case other == nil || other == st:
			problems = append(
				problems,
				fmt.Sprintf("%q is told what was deleted by %q, which is no other stream", st.Name, name),
			)
		case other.Parent != nil || len(other.Children) > 0 || other.Changes != nil:
			problems = append(
				problems,
				fmt.Sprintf(
					"%q tells what was deleted of %q and so must have no parent, children and incremental",
					name,
					st.Name,
				),
			)
		default:
			other.ListsDeleted = true
			st.DeletedList = other
		}
	}
	return problems
}

// parent compiles the relation to the parent stream, with its defaults.
func (c *Compiler) parent(st *Stream) {
	p := *st.Parent
	if p.Stream == "" {
		c.Wrong("parent.stream is missing")
	}
	if p.Param == "" {
		p.Param = "id"
	}
	if p.Concurrency < 0 || p.Concurrency > 16 {
		c.Wrong("parent.concurrency must be between 1 and 16")
	}
	if p.Concurrency == 0 {
		p.Concurrency = 4
	}
	st.ParentKey = c.Path("parent.key_path", p.KeyPath)
	st.Parent = &p
}

// linkParents joins children to their parents, and returns what keeps the streams from fitting together.
func linkParents(streams []*Stream) []string {
	var problems []string
	byName := map[string]*Stream{}
	for _, st := range streams {
		if byName[st.Name] != nil {
			problems = append(problems, fmt.Sprintf("the name %q is used twice", st.Name))
		}
		byName[st.Name] = st
	}
	for _, st := range streams {
		if st.Parent == nil || st.Parent.Stream == "" {
			continue
		}
		if st.ParentStream = byName[st.Parent.Stream]; st.ParentStream == nil {
			problems = append(
				problems,
				fmt.Sprintf("%q has the parent %q, which is no stream", st.Name, st.Parent.Stream),
			)
			continue
		}
		st.ParentStream.Children = append(st.ParentStream.Children, st)
	}
	problems = append(problems, linkDeletedLists(streams, byName)...)
	for _, st := range streams {
		steps := 0
		for at := st.ParentStream; at != nil; at = at.ParentStream {
			if steps++; steps > len(streams) {
				return append(problems, fmt.Sprintf("%q is its own ancestor", st.Name))
			}
		}
		problems = append(problems, st.unknownPlaceholders()...)
	}
	return problems
}

// unknownPlaceholders names placeholders that no ancestor fills.
func (st *Stream) unknownPlaceholders() []string {
	known := map[string]bool{}
	for at := st; at != nil && at.Parent != nil && len(known) <= 64; at = at.ParentStream {
		known[at.Parent.Param] = true
	}
	var out []string
	for _, name := range placeholders(st.Request.Path) {
		if !known[name] {
			out = append(
				out,
				fmt.Sprintf("the path of %q has the placeholder {%s}, which no parent fills", st.Name, name),
			)
		}
	}
	for _, f := range st.FieldRules {
		if f.Param != "" && !known[f.Param] {
			out = append(out, fmt.Sprintf("the fields of %q use {%s}, which no parent fills", st.Name, f.Param))
		}
	}
	return out
}

// placeholders are the names in braces in a text.
func placeholders(text string) []string {
	var out []string
	for {
		_, rest, ok := strings.Cut(text, "{")
		if !ok {
			return out
		}
		name, rest, ok := strings.Cut(rest, "}")
		if !ok {
			return out
		}
		out = append(out, name)
		text = rest
	}
}

// ChildKeys are the keys under which the children of st know a record, by the child's place among them.
func ChildKeys(b *jsonpath.Budget, st *Stream, record any, key string, ok bool) []string {
	out := make([]string, len(st.Children))
	for i, child := range st.Children {
		if child.ParentKey == nil {
			if ok {
				out[i] = key
			}
			continue
		}
		v, _ := child.ParentKey.First(b, record)
		out[i], _ = jsonvalue.Text(v)
	}
	return out
}

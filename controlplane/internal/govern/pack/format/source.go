package format

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/archive"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/document"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/schema"
)

// Source is a pack as it was read, before it is filled in.
type Source struct {
	Files   archive.Files
	Pack    Pack                         // filled in with defaults and examples
	Locales map[string]map[string]string // texts by language
	doc     document.Document
	strict  bool
}

// Options say how a pack is read.
type Options struct {
	// Lenient reading leaves out what is not known and warns of it, where strict reading fails: for packs that were
	// written for a later version of the format.
	Lenient bool
}

// Read reads a pack and checks it. Source is nil when there is an error among the problems.
func Read(files archive.Files, o Options) (*Source, []diagnostic.Problem) {
	doc, l := document.Read(files, !o.Lenient)
	if diagnostic.Failed(l.Problems) {
		return nil, Ordered(l.Problems)
	}
	s := &Source{Files: files, Locales: doc.Locales, doc: doc, strict: !o.Lenient}
	schema.Check(l, doc.Root, s.strict)
	if diagnostic.Failed(l.Problems) {
		return nil, Ordered(l.Problems)
	}
	parameters, err := into[[]Parameter](doc.Root["parameters"])
	if err != nil {
		l.Fail("wrong_type", "/parameters", "see the schema", "%v", err)
		return nil, Ordered(l.Problems)
	}
	values := s.trialValues(parameters, l)
	if diagnostic.Failed(l.Problems) {
		return nil, Ordered(l.Problems)
	}
	s.Pack = s.FillInto(values, l)
	if !diagnostic.Failed(l.Problems) {
		(&semantics{List: l, p: s.Pack, locales: doc.Locales}).check()
	}
	if diagnostic.Failed(l.Problems) {
		return nil, Ordered(l.Problems)
	}
	return s, Ordered(l.Problems)
}

// trialValues are what a pack is tried with: defaults, and examples where there is none.
func (s *Source) trialValues(parameters []Parameter, l *diagnostic.List) map[string]any {
	values, seen := map[string]any{}, map[string]bool{}
	for i, p := range parameters {
		at := diagnostic.Under("/parameters", i)
		if seen[p.Key] {
			l.Fail(
				"duplicate_key",
				diagnostic.Under(at, "key"),
				"give it another one",
				"there are two parameters %s",
				p.Key,
			)
		}
		seen[p.Key] = true
		v, member := p.Default, "default"
		if v == nil {
			v, member = p.Example, "example"
		}
		if v == nil {
			l.Fail(
				"missing",
				at,
				"add a default, or an example if every tenant must say itself",
				"the parameter %s has neither default nor example",
				p.Key,
			)
			continue
		}
		if p.Values != nil && !strings.HasPrefix(p.Type, "string") ||
			(p.Minimum != nil || p.Maximum != nil) && p.Type != "integer" {
			l.Fail(
				"wrong_members",
				at,
				"leave values, minimum or maximum out",
				"values are for texts, minimum and maximum for whole numbers",
			)
		}
		kept, why := p.value(plain(v))
		if why != "" {
			l.Fail(
				"wrong_value",
				diagnostic.Under(at, member),
				why,
				"the %s of %s does not fit its type %s",
				member,
				p.Key,
				p.Type,
			)
			continue
		}
		values[p.Key] = kept
	}
	body := map[string]any{}
	for name, v := range s.doc.Root {
		if name != "parameters" {
			body[name] = v
		}
	}
	references(body, "", func(pointer, key string) {
		if !seen[key] {
			l.Fail("unknown_parameter", pointer, "declare it under parameters", "there is no parameter %s", key)
		}
	})
	return values
}

// plain brings a number of JSON into the form that reading YAML gives.
func plain(v any) any {
	if f, ok := v.(float64); ok && f == float64(int64(f)) {
		return int64(f)
	}
	return v
}

// FillInto fills a pack in with values, adds the problems to l, and is the zero Pack if there is an error. The result
// is checked by the schema again, because a value may not fit where it is used.
func (s *Source) FillInto(values map[string]any, l *diagnostic.List) Pack {
	root := map[string]any{}
	for name, v := range s.doc.Root {
		if name == "parameters" || name == "tests" {
			root[name] = v
			continue
		}
		root[name] = fill(v, values)
	}
	schema.Check(l, root, s.strict)
	if diagnostic.Failed(l.Problems) {
		return Pack{}
	}
	p, err := into[Pack](root)
	if err != nil {
		l.Fail("wrong_type", "", "see the schema", "the pack cannot be understood: %v", err)
		return Pack{}
	}
	p.Raw = map[string][]any{}
	for _, k := range Kinds() {
		p.Raw[k.Member], _ = root[k.Member].([]any)
	}
	return p
}

// Problems is an empty list of problems that knows where in the files of the pack things are.
func (s *Source) Problems() *diagnostic.List { return &diagnostic.List{Places: s.doc.Places} }

// Fill fills a pack in with the values of a tenant, as Values has completed them.
func (s *Source) Fill(values map[string]any) (Pack, []diagnostic.Problem) {
	l := s.Problems()
	p := s.FillInto(values, l)
	if !diagnostic.Failed(l.Problems) {
		(&semantics{List: l, p: p, locales: s.Locales}).check()
	}
	return p, Ordered(l.Problems)
}

// into reads a tree of values into a type, by way of JSON.
func into[T any](v any) (out T, err error) {
	if v == nil {
		return out, nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return out, fmt.Errorf("read: %w", err)
	}
	return out, nil
}

// Ordered are the problems, errors first, then by file and line, each once.
func Ordered(problems []diagnostic.Problem) []diagnostic.Problem {
	out := slices.Clone(problems)
	slices.SortStableFunc(out, func(a, b diagnostic.Problem) int {
		switch {
		case a.Severity != b.Severity:
			return strings.Compare(a.Severity, b.Severity)
		case a.File != b.File:
			return strings.Compare(a.File, b.File)
		}
		return a.Line - b.Line
	})
	return slices.Compact(out)
}

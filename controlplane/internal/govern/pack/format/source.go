package format

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Source is a pack as it was read, before it is filled in.
type Source struct {
	Files   Files
	Pack    Pack                         // filled in with defaults and examples
	Locales map[string]map[string]string // texts by language
	doc     document
	strict  bool
}

// Options say how a pack is read.
type Options struct {
	// Lenient reading leaves out what is not known and warns of it, where strict reading fails: for packs that were
	// written for a later version of the format.
	Lenient bool
}

// Read reads a pack and checks it. Source is nil when there is an error among the problems.
func Read(files Files, o Options) (*Source, []Problem) {
	doc, l := read(files, !o.Lenient)
	if Failed(l.problems) {
		return nil, ordered(l.problems)
	}
	s := &Source{Files: files, Locales: doc.locales, doc: doc, strict: !o.Lenient}
	c := &checker{list: l, strict: s.strict}
	c.check(schema(), doc.root, "")
	if Failed(l.problems) {
		return nil, ordered(l.problems)
	}
	parameters, err := into[[]Parameter](doc.root["parameters"])
	if err != nil {
		l.fail("wrong_type", "/parameters", "see the schema", "%v", err)
		return nil, ordered(l.problems)
	}
	values := s.trialValues(parameters, l)
	if Failed(l.problems) {
		return nil, ordered(l.problems)
	}
	s.Pack = s.fill(values, l)
	if !Failed(l.problems) {
		(&semantics{list: l, p: s.Pack, locales: doc.locales}).check()
	}
	if Failed(l.problems) {
		return nil, ordered(l.problems)
	}
	return s, ordered(l.problems)
}

// trialValues are what a pack is tried with: defaults, and examples where there is none.
func (s *Source) trialValues(parameters []Parameter, l *list) map[string]any {
	values, seen := map[string]any{}, map[string]bool{}
	for i, p := range parameters {
		at := under("/parameters", i)
		if seen[p.Key] {
			l.fail("duplicate_key", under(at, "key"), "give it another one", "there are two parameters %s", p.Key)
		}
		seen[p.Key] = true
		v, member := p.Default, "default"
		if v == nil {
			v, member = p.Example, "example"
		}
		if v == nil {
			l.fail(
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
			l.fail(
				"wrong_members",
				at,
				"leave values, minimum or maximum out",
				"values are for texts, minimum and maximum for whole numbers",
			)
		}
		kept, why := p.value(plain(v))
		if why != "" {
			l.fail(
				"wrong_value",
				under(at, member),
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
	for name, v := range s.doc.root {
		if name != "parameters" {
			body[name] = v
		}
	}
	references(body, "", func(pointer, key string) {
		if !seen[key] {
			l.fail("unknown_parameter", pointer, "declare it under parameters", "there is no parameter %s", key)
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

// fill fills a pack in, and holds the result against the schema again: a value may be of a form that does not fit its
// place.
func (s *Source) fill(values map[string]any, l *list) Pack {
	root := map[string]any{}
	for name, v := range s.doc.root {
		if name == "parameters" || name == "tests" {
			root[name] = v
			continue
		}
		root[name] = fill(v, values)
	}
	(&checker{list: l, strict: s.strict}).check(schema(), root, "")
	if Failed(l.problems) {
		return Pack{}
	}
	p, err := into[Pack](root)
	if err != nil {
		l.fail("wrong_type", "", "see the schema", "the pack cannot be understood: %v", err)
		return Pack{}
	}
	p.Raw = map[string][]any{}
	for _, k := range Kinds() {
		p.Raw[k.Member], _ = root[k.Member].([]any)
	}
	return p
}

// Fill fills a pack in with the values of a tenant, as Values has completed them.
func (s *Source) Fill(values map[string]any) (Pack, []Problem) {
	l := &list{places: s.doc.places}
	p := s.fill(values, l)
	if !Failed(l.problems) {
		(&semantics{list: l, p: p, locales: s.Locales}).check()
	}
	return p, ordered(l.problems)
}

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

// ordered are problems, errors first, each once.
func ordered(problems []Problem) []Problem {
	out := slices.Clone(problems)
	slices.SortStableFunc(out, func(a, b Problem) int {
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

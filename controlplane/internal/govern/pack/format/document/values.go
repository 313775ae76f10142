package document

import (
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
)

// reader turns a file's nodes into values.
type reader struct {
	file string
	// d receives the places of values, and l the problems.
	d *Document
	l *diagnostic.List
}

// fail adds a problem at a node, and gives nil, the value of a node that cannot be read.
func (r *reader) fail(n *yaml.Node, pointer, code, mend, message string, args ...any) any {
	p := diagnostic.InFile(r.file, n.Line, code, mend, message, args...)
	p.Pointer = "#" + pointer
	if len(r.l.Problems) < diagnostic.MaxProblems {
		r.l.Problems = append(r.l.Problems, p)
	}
	return nil
}

// value reads a node. Depth is bounded, and anchors and aliases are refused: with them a small file
// describes a huge tree.
func (r *reader) value(n *yaml.Node, pointer string, depth int) any {
	r.d.Places[pointer] = diagnostic.Place{File: r.file, Line: n.Line}
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
				diagnostic.Printable(n.Tag),
			)
		}
		out := make([]any, len(n.Content))
		for i, c := range n.Content {
			out[i] = r.value(c, diagnostic.Under(pointer, i), depth+1)
		}
		return out
	}
	return r.scalar(n, pointer)
}

// mapping reads an object. Names of members are texts, each at most once; YAML merge keys are
// refused.
func (r *reader) mapping(n *yaml.Node, pointer string, depth int) any {
	if n.ShortTag() != "!!map" {
		return r.fail(
			n,
			pointer,
			"unknown_tag",
			"leave the tag out",
			"the tag %s has no meaning in a pack",
			diagnostic.Printable(n.Tag),
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
				diagnostic.Under(pointer, key.Value),
				"duplicate_member",
				"remove one of them",
				"%q occurs twice",
				diagnostic.Printable(key.Value),
			)
			continue
		}
		at := diagnostic.Under(pointer, key.Value)
		out[key.Value] = r.value(n.Content[i+1], at, depth+1)
		r.d.Places[at] = diagnostic.Place{File: r.file, Line: key.Line}
	}
	return out
}

// A date is a text here: it is written as people write it.

// scalar reads a single value. Timestamps stay texts; numbers beyond the range of their type are
// refused.
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
			diagnostic.Printable(n.Tag),
		)
	}
}

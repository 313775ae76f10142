package table

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Any is the cell that every value matches, and no value too.
const Any = "*"

// cell is what a cell of a row says.
type cell struct {
	any      bool
	elements []element
}

// element is a value, or a prefix of values.
type element struct {
	text   string
	prefix bool
}

// problem is something that a cell cannot be saved with.
type problem struct{ code, detail string }

// parseCell reads a cell.
func parseCell(text string) (cell, *problem) {
	if len(text) > maxCell {
		return cell{}, &problem{
			"too_long",
			fmt.Sprintf("The cell has more than %d bytes. Use prefixes, or several rows.",
				maxCell),
		}
	}
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }) {
		return cell{}, &problem{"invalid_character", "The cell contains a control character. Remove it."}
	}
	if strings.TrimSpace(text) == Any {
		return cell{any: true}, nil
	}
	if strings.TrimSpace(text) == "" {
		return cell{}, &problem{"empty_cell", "The cell is empty. Write * for any value."}
	}
	s := scanner{}
	for _, r := range text {
		s.read(r)
	}
	if s.escaped {
		return cell{}, &problem{"invalid_escape", `The cell ends with a single backslash. Write \\ for a backslash.`}
	}
	s.end()
	if s.problem == nil && len(s.cell.elements) > maxElements {
		s.problem = &problem{
			"too_many_values",
			fmt.Sprintf("The cell has more than %d values. Use prefixes, or several "+
				"rows.", maxElements),
		}
	}
	return s.cell, s.problem
}

// scanner reads the elements of a cell.
type scanner struct {
	cell    cell
	problem *problem
	text    strings.Builder
	kept    int // length of text up to the last character that is no space to be trimmed
	escaped bool
	star    bool // the element has ended with *
}

// read takes one character.
func (s *scanner) read(r rune) {
	switch {
	case s.escaped:
		s.add(r)
		s.escaped, s.kept = false, s.text.Len()
	case r == '\\':
		s.escaped = true
	case r == '|':
		s.end()
	case r == '*':
		if s.star {
			s.refuse("invalid_wildcard", `A value ends with two *. Write \* for a * that is part of a value.`)
		}
		s.star = true
	case unicode.IsSpace(r):
		if s.text.Len() > 0 && !s.star {
			s.text.WriteRune(r)
		}
	default:
		s.add(r)
		s.kept = s.text.Len()
	}
}

// add adds a character to the element.
func (s *scanner) add(r rune) {
	if s.star {
		s.refuse("invalid_wildcard", `A * must be at the end of a value. Write \* for a * that is part of a value.`)
	}
	s.text.WriteRune(r)
}

// end ends an element. One that occurs twice is kept once.
func (s *scanner) end() {
	text := s.text.String()
	if !s.star {
		text = text[:s.kept] // spaces before * belong to the prefix
	}
	e := element{text, s.star}
	s.text.Reset()
	s.kept, s.star = 0, false
	switch {
	case e.text == "" && e.prefix:
		s.refuse("any_in_list", "A list cannot contain *, which matches any value. Write * alone.")
	case e.text == "":
		s.refuse("empty_value", "The list has an empty value. Remove the extra |.")
	case !slices.Contains(s.cell.elements, e):
		s.cell.elements = append(s.cell.elements, e)
	}
}

// refuse keeps the first problem.
func (s *scanner) refuse(code, detail string) {
	if s.problem == nil {
		s.problem = &problem{code, detail}
	}
}

// String is the normal form of a cell: parseCell gives the same cell for it.
func (c cell) String() string {
	if c.any {
		return Any
	}
	texts := make([]string, len(c.elements))
	for i, e := range c.elements {
		texts[i] = e.String()
	}
	return strings.Join(texts, "|")
}

// String is an element as it is written in a cell.
func (e element) String() string {
	var b strings.Builder
	text := []rune(e.text)
	for i, r := range text {
		outer := i == 0 || i == len(text)-1 && !e.prefix
		// A space at either end would be trimmed.
		if strings.ContainsRune(`\|*`, r) || outer && unicode.IsSpace(r) {
			b.WriteRune('\\')
		}
		b.WriteRune(r)
	}
	if e.prefix {
		b.WriteRune('*')
	}
	return b.String()
}

// Quote is a value as it is written in a cell.
func Quote(value string) string { return element{text: value}.String() }

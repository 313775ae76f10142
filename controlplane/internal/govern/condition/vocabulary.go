package condition

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/field"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
)

// Vocabulary is what conditions of one place may ask for beside a person: members of further facts, such as
// request.urgency. The zero Vocabulary has nothing.
type Vocabulary struct {
	fields map[string]*field.Field
	about  string
}

// Kind is what values a term has.
type Kind = field.Kind

// Kinds of what a vocabulary names.
const (
	Name   = field.Name   // text in which capitals do not matter
	Code   = field.Code   // text in which they do
	Many   = field.Many   // names
	Moment = field.Moment // a point in time
	Flag   = field.Flag   // true or false
	Number = field.Custom // a number, or whatever there is
)

// Term is one thing that a vocabulary names.
type Term struct {
	Name  string // request.urgency: the member urgency of the fact request
	Kind  Kind
	Among []string // the values that there are, where they are few
}

// NewVocabulary makes a vocabulary. about is the fact that expressions can name, beside identity; its name has five
// letters at least.
func NewVocabulary(about string, terms ...Term) Vocabulary {
	v := Vocabulary{fields: map[string]*field.Field{}, about: about}
	for _, t := range terms {
		of, key, _ := strings.Cut(t.Name, ".")
		v.fields[t.Name] = &field.Field{
			Name:  of,
			Key:   key,
			Kind:  t.Kind,
			Among: t.Among,
			Label: strings.NewReplacer(".", " ", "_", " ").Replace(t.Name),
		}
	}
	return v
}

// Names are what it names, in order.
func (v Vocabulary) Names() []string {
	names := make([]string, 0, len(v.fields))
	for n := range v.fields {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Parse reads a condition that may ask for what the vocabulary names.
func (v Vocabulary) Parse(raw json.RawMessage) (Condition, []Problem) {
	p := &parser{more: v}
	root := p.whole(raw)
	if len(p.problems) > 0 {
		return Condition{}, p.problems
	}
	return finish(root), nil
}

// field finds a field of the vocabulary, or else one of a person.
func (v Vocabulary) field(n string) (*field.Field, bool) {
	if f, ok := v.fields[n]; ok {
		return f, true
	}
	return field.Find(n)
}

// Expression is an expression over a person, and over what its vocabulary is about, that gives any value.
type Expression struct {
	program *pyexpr.Program
	about   string
}

// Expression reads an expression. The error is in words for its author.
func (v Vocabulary) Expression(source string) (Expression, error) {
	program, err := compile(strings.TrimSpace(source), v.about)
	return Expression{program, v.about}, err
}

// Value evaluates it. The error has no values of the person in it.
func (e Expression) Value(f fact.Facts) (any, error) {
	value, err := e.program.Eval(context.Background(), f.Fields()[e.about], pyexpr.NewRecord(f.Fields()))
	var wrong *pyexpr.Error
	if errors.As(err, &wrong) {
		return nil, errors.New(wrong.Quiet())
	}
	return value, err
}

package mapping

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// What is done with a field of a source.
const (
	ActionMap    = "map"    // its value, transformed where there is an expression, fills Target
	ActionIgnore = "ignore" // it fills nothing, nor does what the connector itself makes of it
)

// Bounds of rules.
const (
	MaxRules      = 2000  // of a connector
	maxSourceName = 10000 // characters of a source field's name
)

// Mapping is what is done with one field of a source's records. A field that fills several of ours has a mapping for
// each.
type Mapping struct {
	// Of which kind of record.
	Object string `json:"object" enum:"identity,account,entitlement,grant"`
	// The field's name in the source, as discovery shows it; it may hold dots and spaces.
	Source string `json:"source_path"`
	// Whether the field fills target_field (map) or is not used (ignore).
	Action string `json:"action" enum:"map,ignore" default:"map"`
	// A field of ours, or attributes.<name>; empty when ignored.
	Target Field `json:"target_field,omitempty"`
	// A Python expression of value and record; empty: the value as it is.
	Transform string `json:"transform,omitempty"`
	// What found it; empty where nothing did.
	Heuristic Rule `json:"heuristic,omitempty" enum:"exact,synonym,type_shape,vendor_template,scim_extension,sector_pack,manual,copied"`
	// How sure that is.
	Confidence float64 `json:"confidence" minimum:"0" maximum:"1"`
	// Why it is as it is, where that is not plain.
	Note string `json:"note,omitempty"`
	// Whether a person has decided.
	Overridden bool `json:"overridden"`
}

// Pair is what a mapping is known by among those of a connector: one field of a source may fill several of ours.
type Pair struct {
	Object, Source string
	Target         Field
}

// Pair is the mapping's own.
func (m Mapping) Pair() Pair { return Pair{m.Object, m.Source, m.Target} }

// Wrong is what is not right with one of several rules.
type Wrong struct {
	Index  int    // of the rule
	Member string // of the rule: source_path, target_field, transform, ...
	Code   string
	Detail string
}

// Compiler makes something that can be evaluated of the text of a transform. Its error is for the person who wrote the
// text.
type Compiler func(text string) (Expression, error)

// Expression is a transform, ready to be used by several goroutines at once.
type Expression interface {
	// Eval gives what the expression makes of a field's value and the whole record: nil, a bool, a string, a number or
	// a list of those. An error that has a method Kind() string, such as ValueError, returns by it what may be shown
	// without telling values.
	Eval(value any, record *Record) (any, error)
}

// Record is a source's record on its way through all expressions of its mappings, in one goroutine.
type Record struct {
	Fields map[string]any
	Read   any // what the first expression made of Fields, for those after it; theirs alone
}

// Normalise brings rules into their canonical form: fields in our spelling, an action where none was given. It leaves
// what it does not understand as it is, for Check to name.
func Normalise(rules []Mapping) []Mapping {
	out := slices.Clone(rules)
	for i := range out {
		r := &out[i]
		if r.Action == "" {
			r.Action = ActionMap
		}
		if f, ok := ParseField(r.Object, string(r.Target)); ok {
			r.Target = f
		}
		r.Transform = strings.TrimSpace(r.Transform)
		if r.Action == ActionIgnore {
			r.Target, r.Transform = "", ""
		}
	}
	return out
}

// Check finds what is wrong with normalised rules, each by itself and with the others: nothing is written before all
// are right.
func Check(rules []Mapping, compile Compiler) []Wrong {
	var wrong []Wrong
	say := func(i int, member, code, detail string, args ...any) {
		wrong = append(wrong, Wrong{i, member, code, fmt.Sprintf(detail, args...)})
	}
	if len(rules) > MaxRules {
		say(MaxRules, "", "too_many", "a connector has at most %d mappings", MaxRules)
		return wrong
	}
	sources, targets := map[[2]string]int{}, map[[2]string]int{}
	for i, r := range rules {
		if FieldsOf(r.Object) == nil {
			say(i, "object", "unknown_object", "it is one of %s", strings.Join(Objects(), ", "))
			continue
		}
		checkSource(i, r, say)
		// One field may fill several of ours, but it is not ignored then as well.
		if first, twice := sources[[2]string{r.Object, r.Source}]; twice &&
			(r.Action == ActionIgnore || rules[first].Action == ActionIgnore) {
			say(
				i,
				"source_path",
				"duplicate_source",
				"the mapping %d is about this field already, and one of the two ignores it",
				first,
			)
		} else if !twice {
			sources[[2]string{r.Object, r.Source}] = i
		}
		switch r.Action {
		case ActionIgnore:
			continue
		case ActionMap:
		default:
			say(i, "action", "unknown_action", "it is map or ignore")
			continue
		}
		if _, ok := ParseField(r.Object, string(r.Target)); !ok {
			say(i, "target_field", "unknown_field", "%s", noSuchField(r))
		} else if first, twice := targets[[2]string{r.Object, string(r.Target)}]; twice {
			say(
				i,
				"target_field",
				"duplicate_target",
				"the mapping %d fills %s already, from %s; ignore one of them, or join both in one transform",
				first,
				r.Target,
				Quoted(rules[first].Source),
			)
		} else {
			targets[[2]string{r.Object, string(r.Target)}] = i
		}
		if r.Transform != "" {
			if _, err := compile(r.Transform); err != nil {
				say(i, "transform", "invalid_transform", "%s", err)
			}
		}
	}
	return wrong
}

// checkSource reports what is wrong with the source of the i-th mapping, through say: its member, a
// stable code, and a message.
func checkSource(i int, r Mapping, say func(int, string, string, string, ...any)) {
	switch {
	case r.Source == "":
		say(i, "source_path", "required", "name a field of the source")
	case utf8.RuneCountInString(r.Source) > maxSourceName:
		say(i, "source_path", "too_long", "a field's name may have %d characters", maxSourceName)
	case strings.ContainsRune(r.Source, 0) || !utf8.ValidString(r.Source):
		say(i, "source_path", "invalid_text", "the name holds the character NUL or is not UTF-8")
	}
}

// noSuchField is the message for a target that does not exist, with the targets that do.
func noSuchField(r Mapping) string {
	if r.Target == "" {
		return "name a field of ours, or attributes.<name>, or choose the action ignore"
	}
	if strings.HasPrefix(string(r.Target), customPrefix) {
		return "the name of a custom attribute begins with a letter and holds letters, digits, - and _, 64 at most"
	}
	names := make([]string, 0, len(fields))
	for _, f := range FieldsOf(r.Object) {
		names = append(names, string(f))
	}
	return fmt.Sprintf(
		"%s has no such field; there are %s, and attributes.<name>",
		article(r.Object),
		strings.Join(names, ", "),
	)
}

// article is the object's name with its indefinite article.
func article(object string) string {
	if strings.ContainsRune("aeio", rune(object[0])) {
		return "an " + object
	}
	return "a " + object
}

// Quoted shows a name within a sentence, and not more of it than one reads.
func Quoted(name string) string {
	if r := []rune(name); len(r) > 60 {
		name = string(r[:60]) + "…"
	}
	return "“" + name + "”"
}

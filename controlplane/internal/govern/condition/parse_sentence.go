package condition

import (
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/grammar"
)

// ParseSentence reads a condition from the words that Sentence says it with. Its problems have positions in the text
// for pointers.
func ParseSentence(text string) (Condition, []Problem) {
	if len(text) > MaxSize {
		return Condition{}, []Problem{
			{Pointer: "#", Code: "too_large", Detail: "the sentence is too long", Suggestions: []string{}},
		}
	}
	if !utf8.ValidString(text) {
		return Condition{}, []Problem{
			{Pointer: "#", Code: "malformed", Detail: "the sentence is not valid UTF-8", Suggestions: []string{}},
		}
	}
	tree, err := grammar.Read(text)
	if err != nil {
		return Condition{}, []Problem{
			{Pointer: "#", Code: "unreadable_sentence", Detail: err.Error(), Suggestions: []string{}},
		}
	}
	p := &parser{}
	root := p.node(tree, "#", 1)
	if len(p.problems) > 0 {
		return Condition{}, p.problems
	}
	return finish(root), nil
}

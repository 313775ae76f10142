// Package condition is the one language in which rules say whom they are about: a tree of rules over the fields of an
// identity, or an expression in the Python dialect of transforms.
//
// A condition is parsed once and matched against many people, by several goroutines at the same time. It knows no
// database and no clock: what it asks stands in Facts. It never fails while it is matched: a rule that cannot be
// answered is false and leaves a warning. It has one normal form, which is what is stored, and one sentence in plain
// words, which can be read back.
package condition

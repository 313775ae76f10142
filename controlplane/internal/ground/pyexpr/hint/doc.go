// Package hint says what to write instead of an expression that does not compile or raises an exception: what other
// languages write has another form in Python, a misspelled name is close to one that exists, and a frequent exception
// has a frequent remedy.
//
// Its caller is package pyexpr, which puts the advice into Error.Hint. Every text completes an error message; it is
// empty where there is no advice.
//
//	hint.ForName("Value", "value", "record", false) // "; did you mean value?"
package hint

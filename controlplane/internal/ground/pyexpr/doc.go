// Package pyexpr runs one Python expression over the fields of a record: what an administrator writes as a transform.
//
// An expression is compiled once and run over many records, by several goroutines at the same time. It reaches
// nothing but value, record and the names of package library: no file, no network, no clock, no statement, no name
// that begins with _. What an evaluation costs is charged before it is spent: steps, bytes, nesting and time, with
// the limits of package object. The oracle of the tests is CPython 3.11; docs/transforms.md lists the differences
// here.
//
// The callers are reach/mapping for the transforms of fields, reach/shape for account templates and govern/condition
// for the expressions of conditions. Compile reads a transform, CompileAbout an expression about a person; both give a
// Program, which is evaluated for one Record after the other:
//
//	p, err := pyexpr.Compile("value.title() if value else record['uid']") // err is an *Error with a place and a hint
//	out, err := p.Eval(ctx, "jane doe", pyexpr.NewRecord(fields))         // "Jane Doe"
package pyexpr

// Package tryout calls target systems to try connections out: tests, discovery of fields, and samples of records.
//
// A Call is a connection, saved or not. A Tester bounds the time of each call, survives a connector that panics, masks
// secrets in every text of the answer, and turns what targets, networks and agents do into a part of the answer. An
// error is a fault of the service itself.
//
//	files: call.go (Call, bounds), tester.go (tests and discovery), steps.go, sample.go, scrub.go, pointer.go
//
// The package knows no database. It is called by the package connector, which keeps the verdicts and audits the calls.
//
//	answer, err := tester.Probe(ctx, call, func(s v1.TestStep) { fmt.Println(s.Name) })
//	// answer.Success, answer.Error, answer.Pointer
package tryout

// Package trial runs the tests that a sector pack brings: synthetic people whose policies and roles are expected, and
// source records whose mapped fields are expected.
//
// Lint is Read of package format, and then the tests. It also warns of policies and mappings without a test. Package
// catalog calls it for uploads, and "grantwright pack lint" for authors.
//
// Example: a test with given.identity {department: Nursing} and expectGrants [nurses] fails if the policy nurses does
// not match that person.
package trial

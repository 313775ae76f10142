// Package effective loads the access of people as the evaluation of separation-of-duties policies takes it: what each
// person holds, directly and through nested entitlements, what is pending, and, for policies about the past, what the
// person held. It owns no table and only reads.
//
// A source is access that can be taken away as one: a direct grant, or a request item, a role assignment, a rule or an
// order that has not led to a grant yet. A source gives its own entitlements and everything that they are nested in.
//
// Load reads many people in a few indexed queries. One reads one person with the changes of a prediction. Stream passes
// over all people with a few policies' entitlements alone, for the first pass of a scan. Name adds the names that
// people read, which a check needs only for what is in violation.
//
// Callers: packages check and scan.
//
// Example: Ann holds the group VENDOR-EDIT directly, and has asked for the group FINANCE, which is nested in PAY-RUN.
// Load returns two sources: the grant, which gives VENDOR-EDIT, and the pending request item, which gives FINANCE and
// PAY-RUN.
package effective

// Package grant reads grants: who holds an entitlement, on which reasons, and through which nesting, today and in the
// past.
//
// It reads the table access_grant, and the table access_reason of the ledger: standing.go compares what should be with
// what is, path.go names the nested groups that bring a grant, sentence.go puts reasons into words, and the files that
// end in as_of.go do the same for a moment in the past. acceptance.go says whether an unmanaged grant was accepted.
//
// Package access lists grants; packages order and explain, record/history and govern/decisionkind find single ones.
package grant

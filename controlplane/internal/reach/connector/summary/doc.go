// Package summary reads what a list of connectors shows beside them: their latest sync runs, and how many records are
// kept of each. It takes one statement for a whole page.
//
// It reads sync_run, identity and account, and writes nothing. It is called by the list of the package connector.
//
//	counts, err := summary.CountRecords(ctx, tx, connectorIDs)
//	// counts[connectorIDs[0]].Accounts
package summary

// Package proof decides what the reading of a sync run is worth, once it has ended: absence counts as deletion only
// for kinds of record that were read to their proven end.
//
// It reads the stages, removes what was staged twice from them and from sync_error, and takes back
// stage_scope.complete where the numbers disagree. A kind is complete if the connector attests it, no record of it was
// rejected, as many arrived as the connector counted, and no fewer than 98 % of what the source itself reports. A run
// of which more than 5 % of the records (and more than five) were rejected fails.
//
// A connector attests 100 accounts of which 99 arrived: accounts are not complete, the run warns "accounts: the
// connector counted 100, but 99 arrived", and no account goes missing.
//
// Package worker calls Prove once per run.
package proof

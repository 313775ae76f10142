// Package matching applies the rules of correlation: it compiles settings into a Plan, reads accounts and people,
// weighs what agrees, decides whom each account belongs to, and stores the decision with its reasons.
//
// It reads account, identity, identity_source and connector.correlation, and writes account.identity_id,
// correlation_state, correlation (why), and the digests correlation_keys and correlation_rules. Accounts to look at
// are read in batches and put into an index for each rule, and the tenant's people stream past it; what is decided is
// written by one statement a batch. Accounts that rules have linked are looked at again when a digest of their keys,
// or of the rules, has changed; a run that finds all as it was writes nothing.
//
// The rules that match add up to a score of 1 - product of (1 - weight). An account "ann.lee" whose e-mail address
// (weight 0.9) and last name (0.5) are those of one person scores 0.95, and is linked if auto_link is no more than
// that; if a second person is within 0.10 of it, the account is disputed.
//
// Package conclusion of syncrun calls Run and RunChanges at the end of a sync run, package correlate Judge for
// previews and runs on demand.
package matching

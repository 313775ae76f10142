// Package violation keeps the violations of separation-of-duties policies, under /policies/violations. It owns the
// table violation.
//
// A violation is one policy and one person; a policy of the kind matrix has one for each pair of sides. Evaluations
// find it again and again: Record compares what they found with what is stored, and writes the difference at once.
//
// States and events are the table in state.go:
//
//	state           found           mitigation covers it  beyond the mark  absent      marked          mitigation ends
//	open            open            mitigated             open             remediated  false_positive  -
//	mitigated       -               mitigated             open             remediated  -               open
//	false_positive  false_positive  mitigated             open             remediated  -               -
//	remediated      open            mitigated             open             remediated  -               -
//
// The mark of a false positive can be withdrawn: the violation is open again.
//
// A false positive applies to one version of the policy and to the access that was found then. A violation that comes
// back is reopened: it is open again, with its history. Package mitigation calls Mitigate and Reopen.
//
// Remediate revokes a cure by the ordinary revocation of grants. The violation stays open until an evaluation no longer
// finds it. Administrators write; auditors read all, managers those of their reports, and owners of entitlements those
// that their entitlements are part of, without the access that they do not own.
//
// Package scan calls Record. Package revocation revokes access for policies with the effect revoke_lower_risk, and
// package decisionkind asks about open violations in the inbox.
//
// Example: a sync run finds that Ann is in VENDOR-EDIT and PAY-RUN. Record opens a violation. An administrator
// remediates it by the removal of VENDOR-EDIT; the sync run after the revocation makes it remediated.
package violation

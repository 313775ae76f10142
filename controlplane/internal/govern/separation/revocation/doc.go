// Package revocation revokes access for policies with the effect revoke_lower_risk. It writes the columns
// automatic_revocation and revoked_automatically_at of the table violation.
//
// Triggers on violation and mitigation queue open violations as the kind of work separation_revocation. Of the smallest
// cures, the one with the lowest risk is revoked by the ordinary revocation. The outcome is one of these:
//
//	revoked   access was revoked; an evaluation proves it
//	recorded  the policy is in shadow mode
//	asked     people decide: every cure is refused, another policy requires the access, the policy has revoked 100
//	          violations within 24 hours, access was revoked before, or people had accepted the violation
//
// Nothing is done about violations that are latent, mitigated, false positives, for which a mitigation is proposed, or
// that are no longer there. Package decisionkind asks about those with the outcome asked.
//
// Example: Ann is in VENDOR-EDIT, of medium risk, and in FINANCE, which gives PAY-RUN, of high risk. VENDOR-EDIT is
// revoked, and Ann and the owners of the policy are notified.
package revocation

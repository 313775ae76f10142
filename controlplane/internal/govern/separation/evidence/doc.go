// Package evidence keeps the evidence that mitigating controls were carried out, under /policies/mitigations. It owns
// the table mitigation_evidence.
//
// The owner of a mitigation provides evidence when it is due: a text, or a file of up to 5 MiB with its SHA-256. It
// counts at once, and the mitigation is active until the next date. Somebody other than the owner reviews it: pending
// evidence is accepted, or it is rejected and other evidence is due within a day.
//
// Callers: package separation serves it, package decisionkind asks owners and reviewers in the inbox.
//
// Example: Bob is asked for the list of payments that he has checked. He uploads it; Carol accepts it.
package evidence

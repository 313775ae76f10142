// Package mitigation applies mitigating controls to violations of separation-of-duties policies, under
// /policies/mitigations. It owns the table mitigation.
//
// A mitigation is proposed for a violation and approved by somebody other than who proposed it and than the person
// concerned. Its violation is then mitigated until the mitigation ends: after its duration, when evidence is not
// provided in time, when it is withdrawn, when the severity of the violation is raised, or when the violation is
// remediated. States and events are the table in state.go:
//
//	proposed → active ⇄ evidence_due → evidence_overdue → lapsed
//	proposed → refused; active, evidence_due, evidence_overdue → expired, withdrawn, replaced, lapsed, resolved
//
// Times. The end and the dates of evidence are whole days of the calendar in the time zone of the tenant. turn_at is
// when the next of them comes; a worker advances what has a turn. Evidence is asked for some days before it is due, and
// a mitigation lapses when it is late by more than the grace of its control. After an outage nobody has less time than
// a day.
//
// Callers: package separation serves it, package evidence keeps what owners provide, package decisionkind asks in the
// inbox.
//
// Example: Ann may pay and maintain vendors for 30 days, because Bob checks her payments. Carol approves that. After a
// week Bob is asked for evidence. He provides none, so the mitigation lapses and the violation is open again.
//
// A function that takes a transaction joins it.
package mitigation

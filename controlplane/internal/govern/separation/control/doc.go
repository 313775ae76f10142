// Package control keeps the library of mitigating controls: the policies of the kind mitigation, each with all of its
// versions, under /policies/mitigation. It owns the tables mitigating_control and mitigating_control_version.
//
// A control says what compensates for a violation, for which policies and severities it may be used, for how long, and
// which evidence shows that it operates. A disabled control cannot be applied; what was applied before stays. A control
// that is applied cannot be deleted.
//
// Callers: package separation serves it, package mitigation applies controls.
//
// Example: the control "Dual check of payments" may be applied to policies of the severity high for at most 180 days.
// Its owner attests every 30 days that it was carried out.
//
// A function that takes a transaction joins it.
package control

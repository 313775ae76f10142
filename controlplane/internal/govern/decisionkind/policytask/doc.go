// Package policytask makes the decision tasks about access policies: requirement gaps of people, access that a policy
// no longer gives and that is reviewed before it ends, and policies that their circuit breaker stopped. It owns no
// table.
//
// Each kind of task says when it is needed, how it is asked, and what its answers do. Answers call the functions of
// packages requirement, review and accesspolicy, with the same checks and the same audit as the API.
//
// Package decisionkind adds its kinds.
//
// Example: everybody with access to the vault must have the training "vault safety". Ben has not; his manager gets the
// task requirement_gap, which closes when Ben's record has the training.
package policytask

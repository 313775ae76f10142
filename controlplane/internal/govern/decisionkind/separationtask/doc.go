// Package separationtask asks people about separation of duties: violations of enforced policies, policies that can no
// longer see one of their sides, and mitigations that need an approval, evidence, a review or an end. It owns no table.
//
// Each kind of task says when it is needed, how it is asked, and what its answers do. Answers call the functions of
// packages violation, mitigation and evidence, with the same checks and the same audit as the API.
//
// Package decisionkind adds its kinds.
//
// Example: Ann can enter and approve payments. The owner of the policy gets the task sod_violation; revoke removes one
// of the two grants by the ordinary revocation, and the violation ends when the target system no longer has it.
package separationtask

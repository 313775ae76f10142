// Package taskcheck checks provisioning tasks against enforced separation-of-duties policies before they are sent. It
// owns no table: held tasks are blocked, see package taskstore.
//
// Only grants are checked. A grant is held if the target systems would then have access that violates an enforced
// policy with the effect block or exception, together with what the person has there and with what is being sent.
// Access that is only requested or planned does not count: of two grants that only together violate a policy, the first
// one is made and the second one held. Violations that are accepted, as false positives, with a mitigating control or
// by an exception, hold nothing. What was requested is held by policies whose on_request is block, and all other access
// by those whose on_assign is block.
//
// Admit is the check of package lane, in the transaction that takes tasks. Review holds and resumes the tasks of people
// who were evaluated; package scan calls it. Override is the decision that a held grant is made all the same.
//
// Example: Ann has VENDOR-EDIT, and PAY-RUN was approved for her. Before the grant is sent the policy "Vendors and
// payments" is enforced. The task is held, and the owners of the policy are asked. After VENDOR-EDIT was removed, the
// evaluation of Ann resumes the task.
package taskcheck

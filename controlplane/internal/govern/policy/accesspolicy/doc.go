// Package accesspolicy has access policies: their fields and the checks of them, their rows, and their versions. It
// owns the tables access_policy and access_policy_version.
//
// A policy is in shadow mode (evaluated, without effect) or enforced. A policy that its circuit breaker has stopped
// gives nothing more until Accept. Every change enqueues the evaluation of everybody. Packages evaluation, simulation
// and policy use it, and govern/pack, which creates the policies of sector packs.
//
// Example: Create with the condition {field: department, op: eq, value: Nursing} and one role inserts the policy and
// its version 1, and enqueues policy_sweep.
package accesspolicy

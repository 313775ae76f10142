// Package simulation answers what a change of a policy, a role or a condition would do, by the very evaluation that
// would do it. It writes nothing but audit events, except that EvaluatePerson applies what it reports unless it is dry.
//
// The result is an impact with a plan hash. A change beyond its limits (the circuit breaker, or more than 10 % of all
// people) must be confirmed with that hash. Package policy serves the routes; rolemodel calls PlanRoles, which makes a
// change of roles within a savepoint and rolls it back.
//
// Example: simulating a policy for the department Nursing goes through everybody in batches, and reports 120 people
// affected, of whom 20 are listed.
package simulation

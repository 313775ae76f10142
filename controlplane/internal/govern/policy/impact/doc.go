// Package impact describes what a change of policies or roles does to access: who gains and loses what, by department
// and for a sample of people, which limits it exceeds, and the hash that confirms it. It owns no table; HeldAlready
// reads the tables account and access_grant.
//
// Packages simulation and govern/pack/accessdiff produce impacts; rolemodel and pack return them.
//
// Example: a policy gives 250 people an entitlement that 40 of them hold in the system already. The impact has
// grants_added 250 and grants_held 40.
package impact

// Package change finds the chains that changes of the organization concern, and has them resolved anew. It writes only
// the columns turned and look_at of the table chain, which package chain owns.
//
// Triggers enqueue what has changed: a person, the owners of an item, the members of a role, a user. Package chain
// follows these items by its kind of work "approval".
//
// Example: the manager of a department changes. Follow marks the open chains of everybody below, and the worker asks
// the new manager in their stages.
package change

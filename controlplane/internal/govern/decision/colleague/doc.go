// Package colleague finds the people to whom a decision can be handed, by a part of their name or by their e-mail
// address. It reads the table decision_colleague_word, which triggers fill from identities, and writes nothing.
//
// People who search see no more of others than identifies them: an e-mail address only where two look alike. Who is
// absent, cannot sign in or may not decide is left out. A query finds 20 people at most.
//
// Package inbox asks it for tasks, package delegation for delegations.
//
// Example: Query{Q: "hop"} finds Grace Hopper, with her title and department.
package colleague

// Package budget bounds the work of evaluating queries. Every step of an evaluation is charged before it is done, since
// the document decides how much work a query is. A Budget is open, and then exhausted or ended with its context; an
// ended one selects nothing, and Err says why.
//
// Comparisons of values (RFC 9535 section 2.3.5.2.2) are methods of Budget, because long texts and deep values cost
// more.
//
//	b := budget.NewBudget(ctx, budget.DefaultSteps)
//	if b.Less(x, y) && b.Err() == nil { … }
package budget

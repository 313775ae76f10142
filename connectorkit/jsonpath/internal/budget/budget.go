package budget

import (
	"context"
	"fmt"
)

// Bounds of one Budget. A document decides how much work a query is, so the work is charged before it is done.
const (
	// DefaultSteps take about a second. A Plan adds a step for every byte that it reads, so that a long list
	// of small records, of which each costs little, needs no larger budget.
	DefaultSteps = 10_000_000

	// MaxNodes bounds how many values one step of a query may select.
	MaxNodes = 1_000_000

	// MaxDescents is how many .. a query may have in settings. With two of them the work grows with the
	// square of the depth of the document, with three with its cube.
	MaxDescents = 1

	stepsBetweenChecks = 4096
	bytesPerStep       = 256 // of text that is compared
	QueryCost          = 4   // steps of starting a query, which takes memory
	MemberCost         = 4   // steps of a member of an object, whose name has to be sorted
	numberCost         = 8   // steps of comparing two numbers
)

// Budget bounds the work of evaluating queries. Once it is exhausted, or its context has ended, every
// evaluation that it is given selects nothing and Err says why: a caller checks Err before it uses what was
// selected. A Budget is for one goroutine.
type Budget struct {
	ctx   context.Context
	steps int64
	left  int64
	check int64 // when left falls below it, the context is looked at
	err   error
}

// BudgetError says that evaluating a query was more work than its Budget allows.
type BudgetError struct {
	What  string // steps, selected values
	Limit int64
}

// Error names the limit.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("the query takes more than %d %s on this document", e.Limit, e.What)
}

// NewBudget allows so many steps, DefaultSteps for 0.
func NewBudget(ctx context.Context, steps int64) *Budget {
	if steps <= 0 {
		steps = DefaultSteps
	}
	b := &Budget{ctx: ctx, steps: steps}
	b.Refill()
	return b
}

// Refill allows as many steps again as at the beginning. It does not take an error back.
func (b *Budget) Refill() { b.left, b.check = b.steps, b.steps }

// Earn allows more steps for what was read from outside.
func (b *Budget) Earn(steps int64) {
	b.left += steps
	b.check += steps
}

// Err is nil as long as all evaluations so far were within the budget.
func (b *Budget) Err() error { return b.err }

// Charge takes steps off before they are done. It is false when they may not be done.
func (b *Budget) Charge(steps int) bool {
	if b.err != nil {
		return false
	}
	if b.left -= int64(steps); b.left < 0 {
		b.err = &BudgetError{What: "steps", Limit: b.steps}
		return false
	}
	if b.left < b.check {
		b.check = b.left - stepsBetweenChecks
		b.err = context.Cause(b.ctx)
	}
	return b.err == nil
}

// Hold charges values that are to be added to a list of so many.
func (b *Budget) Hold(held, more int) bool {
	if !b.Charge(more) {
		return false
	}
	if held+more > MaxNodes {
		b.err = &BudgetError{What: "selected values", Limit: MaxNodes}
		return false
	}
	return true
}

package jsonpath

import (
	"context"

	"github.com/grantwright/grantwright/connectorkit/jsonpath/internal/budget"
)

// Bounds of one Budget. A document decides how much work a query is, so the work is charged before it is done.
const (
	// DefaultSteps take about a second.
	DefaultSteps = budget.DefaultSteps

	// MaxNodes bounds how many values one step of a query may select.
	MaxNodes = budget.MaxNodes

	// MaxDescents is how many .. a query may have in settings.
	MaxDescents = budget.MaxDescents
)

// Budget bounds the work of evaluating queries. Once it is exhausted, or its context has ended, every evaluation that
// it is given selects nothing and Err says why: a caller checks Err before it uses what was selected. A Budget is for
// one goroutine.
type Budget = budget.Budget

// BudgetError says that evaluating a query was more work than its Budget allows.
type BudgetError = budget.BudgetError

// NewBudget makes a budget of steps that ends with ctx.
func NewBudget(ctx context.Context, steps int64) *Budget { return budget.NewBudget(ctx, steps) }

// Package filter decides by the data of an event whether a webhook receives it. It is pure and owns no table.
//
// Package subscription stores filters, and packages webhook and delivery apply them.
//
// Example: {match: all, rules: [{field: status, op: eq, value: active}]} passes {status: active} and stops {status:
// left}.
package filter

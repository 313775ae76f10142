// Package exception has what access requests need to know of exceptions: violations of separation-of-duties policies
// that approvers allow with the requested access, for a limited time. It owns the table separation_exception.
//
// A policy with the effect exception names an approval rule. Its stages are added to the chain of the item, after those
// of the item's own rule. Package draft does so when the request is submitted, and package request at each approval, if
// the access has come to violate a policy meanwhile. When the item is approved, Record stores which violation was
// allowed, with the access that performed its sides: more access is not covered. An exception has no state of its own.
// It lasts as long as the access of its item.
//
// Example: Ann has VENDOR-EDIT and requests PAY-RUN for 30 days. Her manager approves, and then the security officer
// whom the exception rule names. The violation is open and refers to the exception until PAY-RUN is taken away.
package exception

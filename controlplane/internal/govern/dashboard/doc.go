// Package dashboard summarizes a tenant for the caller: the numbers of people, accounts and entitlements, the health
// of its connectors, and the caller's open tasks. Each figure is the total of the list behind it, with the visibility
// of that list.
package dashboard

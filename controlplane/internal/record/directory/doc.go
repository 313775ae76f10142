// Package directory serves identities under /identities: it lists, creates, reads, patches and archives them, and
// composes the services of its parts. It owns no table; its parts do.
//
// The parts, from the lowest: employment, pin, lifecycle, attribute, listing and mergepatch; identity and authority;
// manager, account and asof; action and bulk. A part does not import this package.
//
// visible_identity() and visible_account() in the database decide who is visible; users can always read their own
// identity. A function that takes a transaction joins it; a method of Service opens its own. Package app composes
// Service; the console, API clients and sync runs use it.
//
// Example: GET /identities/{id}?expand=accounts reads the identity, its counts, the source of each field and its
// accounts in one transaction.
package directory

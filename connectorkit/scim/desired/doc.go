// Package desired compares the account that a change requests with the record of the target.
//
// # Purpose
//
// Attributes reads the request. Attribute.MetBy compares, and ItemsFor makes the list of a multi-valued attribute in
// which only one value changes.
//
// # States
//
// None. Nothing here sends a request.
//
// # Callers
//
// Package write.
//
// # Example
//
// The e-mail address ada@example.com is met by a record whose primary address is ADA@example.com. If the primary
// address is another, ItemsFor replaces it and keeps the others.
package desired

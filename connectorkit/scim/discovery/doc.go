// Package discovery finds the fields of users and groups: those that the target declares and those of a few samples.
//
// # Purpose
//
// Run merges the declared schema with the samples. A target that declares nothing is known by its samples alone.
// Secret fields are named and never sampled.
//
// # States
//
// None.
//
// # Callers
//
// connectorkit/scim for Discover.
//
// # Example
//
// A target that declares title and sends badge in its users has the fields title (source schema) and badge (source
// sample).
package discovery

// Package explain explains why an identity holds an entitlement, or why not: the reasons with their rules, the
// nesting, the first detection, the desired and the actual state, why they differ, and what would end the access, in
// plain words and as data.
//
// It owns no table. read.go gathers the facts and sentences.go puts them into words. Package access adds its routes.
package explain

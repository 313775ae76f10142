// Package explain tells why an identity holds an entitlement, or why not: the reasons with their rules, the nesting,
// who saw it first, what should be and what is, why they differ, and what would end it, in plain words and as data.
//
// It owns no table. read.go gathers the facts and sentences.go puts them into words. Package access adds its routes.
package explain

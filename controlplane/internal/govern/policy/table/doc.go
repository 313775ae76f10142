// Package table has decision tables: rows that compare fields of a person with exact values, lists and prefixes, and
// the roles and entitlements that each row assigns. It knows no database, and owns no table: a decision table is stored
// with its access policy.
//
// A cell is * for any value, a value, a prefix that ends with *, or a list of these with | between them. A backslash
// before *, | or itself makes it a part of the value. A person matches a row if all of its cells match. With the hit
// policy all, every row that matches assigns its access; with first, the first one alone.
//
// Rows are matched with sets of bits, one for each value of a column, so that a person costs as many operations as the
// table has columns, and hardly more for a thousand rows than for ten.
//
// Example: the columns department and location with the row
//
//	Nursing|Surgery, Be*
//
// match a person of Surgery in Bern. Packages accesspolicy and evaluation use it.
package table

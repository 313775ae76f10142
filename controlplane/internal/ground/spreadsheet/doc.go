// Package spreadsheet writes CSV (RFC 4180) that people open in spreadsheets, so that no cell is taken for a formula or
// split in two. Its callers are the exports: identities, sync run changes, audit events.
//
// Example: the cell =1+1 is written as '=1+1, and the cell a;b is written in quotes.
package spreadsheet

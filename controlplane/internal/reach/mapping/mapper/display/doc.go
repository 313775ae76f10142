// Package display shows mapped records, as previews of a mapping do: accounts, entitlements and grants by the names of
// our fields.
package display

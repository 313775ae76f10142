// Package bulk imports and exports identities as CSV or newline-delimited JSON. It owns no table.
//
// An import reads rows (rows.go), checks each (validate.go), computes what it changes (import.go) and writes batches
// of 2,000 in a transaction each (write.go). An export can be imported again.
//
// Example: the row {"external_id": "E-4711", "title": null} clears the title of that identity and leaves everything
// else.
package bulk

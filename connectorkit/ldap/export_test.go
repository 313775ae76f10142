package ldap

import (
	"time"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/read"
)

// Tests do not wait for a directory that is gone for good.
func init() { reconnectAfter = []time.Duration{time.Millisecond, time.Millisecond} }

// MarkOften has reads mark their place after few records. It gives a function that ends it.
func MarkOften() func() {
	usual, cost := read.CheckpointRecords, read.CheckpointCost
	read.CheckpointRecords, read.CheckpointCost = 1, 1<<20
	return func() { read.CheckpointRecords, read.CheckpointCost = usual, cost }
}

package ldap

import "time"

// Tests do not wait for a directory that is gone for good.
func init() { reconnectAfter = []time.Duration{time.Millisecond, time.Millisecond} }

// MarkOften has reads mark their place after few records. It gives a function that ends it.
func MarkOften() func() {
	usual, cost := checkpointRecords, checkpointCost
	checkpointRecords, checkpointCost = 1, 1<<20
	return func() { checkpointRecords, checkpointCost = usual, cost }
}

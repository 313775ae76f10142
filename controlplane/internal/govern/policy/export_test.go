package policy

// SetBatch has so many people looked at in one transaction, and gives what puts it back.
func SetBatch(n int) func() {
	before := batch
	batch = n
	return func() { batch = before }
}

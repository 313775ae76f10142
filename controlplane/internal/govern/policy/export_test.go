package policy

import "github.com/grantwright/grantwright/controlplane/internal/govern/policy/evaluation"

// SetBatch has so many people looked at in one transaction, and gives what puts it back.
func SetBatch(n int) func() {
	before := evaluation.Batch
	evaluation.Batch = n
	return func() { evaluation.Batch = before }
}

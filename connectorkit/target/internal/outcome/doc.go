// Package outcome says what a failed request proves: that the target may have carried it out, that a record does not
// exist, or that the login may not see it. Provisioning decides by it whether a change must be read back.
//
//	if outcome.MayHaveArrived(err) {
//		return readBack()
//	}
package outcome

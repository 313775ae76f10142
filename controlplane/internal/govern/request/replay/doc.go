// Package replay resolves past requests again with the approval rules of today or with a draft rule, and counts what
// would differ. It owns no table and changes nothing but the audit log.
//
// Package request serves it as POST /approval-rules/replay.
//
// Example: of 1,200 items since January, a draft rule would change the outcome of 3 and the approvers of 40.
package replay

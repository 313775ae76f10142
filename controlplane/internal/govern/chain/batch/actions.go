package batch

import ()

// What nobody decides but the chain, or about it, as the audit log has it.
const (
	DidAgree    = "access_request.agreed_by_requesting"
	DidEscalate = "access_request.escalated"
	DidExpire   = "access_request.expired"
	DidResolve  = "access_request.reresolved"
	DidBlock    = "access_request.blocked"
	DidUnblock  = "access_request.unblocked"
	DidTimeOut  = "access_request.wait_timed_out"
	DidExcept   = "access_request.exception_needed"
	DidWithdraw = "access_request.approval_withdrawn"
)

// Package request takes requests for access from submission to their end. It owns the tables access_request and
// access_request_item, and the path /access-requests but for its catalogue.
//
//	submitted -> pending_approval -> approved -> (scheduled) -> provisioning -> fulfilled | partially_fulfilled | failed -> closed
//	             blocked, rejected, cancelled, expired
//
// Who must agree is approval's to say, asking is chain's, giving is fulfil's: both ring here.
package request

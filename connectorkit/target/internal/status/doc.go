// Package status says what an HTTP status means: the class of the error and what the user can do about it (RFC 9110
// section 15, RFC 6585).
//
//	m := status.Of(403) // class permission
package status

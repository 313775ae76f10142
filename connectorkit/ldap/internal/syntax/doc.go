// Package syntax converts attribute values between the forms of directories and Go: times (RFC 4517 section 3.3.13,
// and Active Directory's FILETIME), GUIDs, security identifiers, booleans and userAccountControl.
//
// All functions are pure. A value that is not of the form gives false instead of an error, because directories hold
// such values and a sync must read past them.
//
//	at, ok := syntax.ParseGeneralizedTime("20261120101500Z")
//	uac, ok := syntax.ParseUAC("514") // uac.Disabled
package syntax

// Package problem writes errors as problem documents (RFC 9457). Of turns a fault into a Problem with its status, code
// and type; Invalid does so for what huma finds while it decodes a request. Errors that are not faults become a 500
// whose text says nothing of them. Its caller is package httpapi.
//
// Example: fault.New(fault.NotFound, "Identity E-4711 was not found.") becomes a 404 with the code not_found, the type
// urn:grantwright:problem:not_found and the ID of the request.
package problem

// Package header checks the extra headers of settings, and lists the headers of answers that users may see.
//
//	err := header.Check(map[string]string{"X-Tenant": "acme"}) // code invalid_header if the connector sets it itself
package header

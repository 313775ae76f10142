// Package address reads addresses that users type for targets and token endpoints. It is strict, so that no two
// parsers can read two hosts from one address, and it recognizes paths that lead out of the base path.
//
//	u, err := address.ParseURL("base_url", "https://example.com/scim/v2")
//	// address.HostPort(u) == "example.com:443"
package address

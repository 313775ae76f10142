// Package network groups addresses that count as one for a limit: an IPv4 address alone, or the /64 of an IPv6 address,
// which is what one customer of a provider has. Its callers are the packages that count by address: limit, httpapi and
// auth.
//
// Example: Of("2001:db8::1") and Of("2001:db8::2") are the same network; Of("192.0.2.1") and Of("192.0.2.2") are not.
package network

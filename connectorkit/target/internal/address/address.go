package address

import (
	"net"
	"net/netip"
	"net/url"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// ParseURL reads an address a user typed for a target or a token endpoint. It is strict (SSRF-3), so that no
// two parsers can read two hosts from one address: lower-case http or https, no user info, no fragment, an
// ASCII host, and numeric hosts only in their canonical form. setting names the key in the error.
func ParseURL(setting, raw string) (*url.URL, error) {
	refuse := func(why string) (*url.URL, error) {
		return nil, &v1.ErrorDetail{
			Class: v1.ClassConfig, Code: "invalid_url", Phase: "connect",
			Message: setting + " cannot be used: " + why,
			Hint:    "Give an address such as https://example.com/scim/v2.",
		}
	}
	if raw == "" {
		return refuse("it is missing")
	}
	if !strings.HasPrefix(raw, "https://") && !strings.HasPrefix(raw, "http://") {
		return refuse("it must begin with https:// or http://")
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return refuse("it is not a URL") // the parser's own words would repeat a password in it
	case u.User != nil:
		return refuse("user name and password do not belong into the address")
	case u.Fragment != "" || strings.Contains(raw, "#"):
		return refuse("it must not have a fragment (#)")
	case u.Hostname() == "" || len(u.Hostname()) > 253:
		return refuse("it has no usable host")
	}
	if why := badHost(u.Hostname()); why != "" {
		return refuse(why)
	}
	return u, nil
}

// badHost says why a host is refused, or nothing.
func badHost(host string) string {
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Zone() != "" {
			return "an address with a zone is not allowed"
		}
		return ""
	}
	for _, r := range host {
		if r <= ' ' || r > '~' || strings.ContainsRune(`/\%@:?#<>^|"`+"`{}", r) {
			return "its host has characters that no host name has; write an international name in its xn-- form"
		}
	}
	// As browsers read it: a last label that is a number makes the whole an IPv4 address, in whatever notation.
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	last := strings.ToLower(labels[len(labels)-1])
	if strings.HasPrefix(last, "0x") || strings.Trim(last, "0123456789") == "" {
		return "a numeric host must be written as four decimal numbers"
	}
	return ""
}

// HostPort is the host:port that u is dialled at.
func HostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "443"
		if u.Scheme == "http" {
			port = "80"
		}
	}
	return net.JoinHostPort(strings.TrimSuffix(u.Hostname(), "."), port)
}

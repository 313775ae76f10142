package outbound

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

const maxURL = 2048 // characters

// CheckURL judges an address that a tenant gives for our calls, such as a callback, when it is saved; every call is
// judged again when it is dialled. It must be https, or http where plaintext is allowed, without user and fragment, and
// every address of its host must be allowed. purpose names it in the message: "the callback address". It returns a
// fault of kind Invalid with the code destination_not_allowed.
func (g *Guard) CheckURL(ctx context.Context, rawURL, purpose string) error {
	u, err := parse(rawURL)
	if err != nil {
		return unusable(purpose, err.Error())
	}
	hostport := net.JoinHostPort(u.Hostname(), portOf(u))
	addrs, err := g.resolve(ctx, hostport)
	var notFound *net.DNSError
	if errors.As(err, &notFound) {
		return unusable(purpose, "its host name does not resolve")
	}
	if err != nil {
		return unusable(purpose, "its host is not one that may be called from here")
	}
	for _, a := range addrs {
		if !g.allows(a) {
			return unusable(purpose, "its host is not one that may be called from here")
		}
	}
	if u.Scheme == "http" {
		if _, err := g.Plaintext(ctx, hostport); err != nil {
			return unusable(purpose, "it must begin with https://")
		}
	}
	return nil
}

func unusable(purpose, why string) error {
	return fault.Coded(fault.Invalid, "destination_not_allowed", "%s cannot be used: %s", purpose, why)
}

// parse reads a URL of which there can be no two opinions.
func parse(raw string) (*url.URL, error) {
	if len(raw) > maxURL {
		return nil, errors.New("it is too long")
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }) {
		return nil, errors.New("it holds a character that must be encoded")
	}
	if !strings.HasPrefix(raw, "https://") && !strings.HasPrefix(raw, "http://") {
		return nil, errors.New("it must begin with https://")
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Opaque != "":
		return nil, errors.New("it is not a well-formed URL")
	case u.User != nil || strings.Contains(u.Host, "@"):
		return nil, errors.New("it must not hold a user or password")
	case strings.Contains(raw, "#"):
		return nil, errors.New("it must not have a fragment")
	case !plainHost(u.Hostname()) || strings.HasSuffix(u.Host, ":"):
		return nil, errors.New("its host must be a plain name or address")
	}
	return u, checkPort(u)
}

// checkPort keeps callers from speaking HTTP to services on well-known ports.
func checkPort(u *url.URL) error {
	port, err := strconv.ParseUint(portOf(u), 10, 16)
	standard := portOf(u) == "443" || u.Scheme == "http" && portOf(u) == "80"
	if err != nil || (port < 1024 && !standard) {
		return errors.New("its port must be the standard one or above 1023")
	}
	return nil
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "http" {
		return "80"
	}
	return "443"
}

// ParseCIDRs reads the operator's list of opened ranges: prefixes, or single addresses.
func ParseCIDRs(list []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, s := range list {
		s = strings.TrimSpace(s)
		if s == "" {
			continue
		}
		if ip, err := netip.ParseAddr(s); err == nil && ip.Zone() == "" {
			out = append(out, netip.PrefixFrom(ip, ip.BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return nil, errors.New("an opened range must look like 10.0.0.0/8 or fd00::/8, not " + strconv.Quote(s))
		}
		out = append(out, p)
	}
	return out, nil
}

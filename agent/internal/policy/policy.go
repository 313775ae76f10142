// Package policy decides which addresses an agent's connectors may connect to. The control plane chooses a target's
// address, so the host that runs the agent has the last word: services of the host itself, link-local addresses and
// the metadata services of clouds are refused unless the agent's own settings allow them.
//
//	p, err := policy.Parse("127.0.0.1:389", "169.254.10.0/24")
//	conn, err := p.Dial(dialer)(ctx, "tcp", "directory.example.org:636")
package policy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Env is the environment variable that allows targets besides allow_targets of config.json.
const Env = "GRANTWRIGHT_AGENT_ALLOW_TARGETS"

// Code is that of a refusal.
const Code = "agent_policy"

// Policy is what an agent may connect to. The zero value refuses all special addresses and allows all others.
type Policy struct {
	allow []rule
}

// rule opens special addresses: those of a prefix, or those that a name resolves to; on one port, or on all for port 0.
type rule struct {
	// text is the rule as it was written, for messages.
	text   string
	prefix netip.Prefix
	name   string
	port   uint16
}

// kinds are the addresses that are refused by default, the narrow ones first.
var kinds = []struct {
	name     string
	prefixes []netip.Prefix
}{
	{
		"a loopback address",
		prefixes("127.0.0.0/8", "::1/128", "0.0.0.0/8", "::/128"),
	}, // Linux connects 0.0.0.0 to itself
	{
		"an address of a cloud's metadata service",
		prefixes("169.254.169.254/32", "169.254.170.2/32", "100.100.100.200/32",
			"168.63.129.16/32", "192.0.0.192/32", "fd00:ec2::/32", "fd20:ce::254/128"),
	},
	{"a link-local address", prefixes("169.254.0.0/16", "fe80::/10")},
	{"a multicast or broadcast address", prefixes("224.0.0.0/4", "255.255.255.255/32", "ff00::/8")},
}

// embedding are prefixes of IPv6 that carry an IPv4 address, by the byte at which it begins.
var embedding = map[netip.Prefix]int{
	netip.MustParsePrefix("64:ff9b::/96"):    12, // NAT64 (RFC 6052)
	netip.MustParsePrefix("2002::/16"):       2,  // 6to4 (RFC 3056)
	netip.MustParsePrefix("::ffff:0:0:0/96"): 12, // translated (RFC 2765)
	netip.MustParsePrefix("::/96"):           12, // compatible (RFC 4291)
}

// prefixes parses ranges that are constants; a wrong one is a mistake in the program.
func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// Parse reads what is allowed: addresses, ranges and host names, each with a port where only one is meant, such as
// 127.0.0.1:389, 169.254.10.0/24, [::1]:636 and localhost. An entry may be a list with commas.
func Parse(entries ...string) (Policy, error) {
	var p Policy
	for _, list := range entries {
		for entry := range strings.SplitSeq(list, ",") {
			entry = strings.TrimSpace(entry)
			if entry == "" {
				continue
			}
			r, err := parse(entry)
			if err != nil {
				return Policy{}, err
			}
			p.allow = append(p.allow, r)
		}
	}
	return p, nil
}

// parse reads a rule: an address, a range or a name, with or without a port. Names have no
// wildcards: what they resolve to is not in the operator's hand.
func parse(entry string) (rule, error) {
	r := rule{text: entry}
	wrong := fmt.Errorf("allow_targets: %q is no address, range or host name; "+
		"it looks like 127.0.0.1:389, 169.254.10.0/24 or localhost", entry)
	host := entry
	if name, port, err := net.SplitHostPort(entry); err == nil {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return r, fmt.Errorf("allow_targets: the port of %q is none", entry)
		}
		host, r.port = name, uint16(n)
	}
	host = strings.Trim(host, "[]")
	if prefix, err := netip.ParsePrefix(host); err == nil {
		r.prefix = prefix.Masked()
		return r, nil
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.Zone() == "" {
		ip = ip.Unmap()
		r.prefix = netip.PrefixFrom(ip, ip.BitLen())
		return r, nil
	}
	if host == "" || strings.ContainsAny(host, "/:%* \t") {
		return r, wrong
	}
	r.name = canonical(host)
	return r, nil
}

// canonical is a host name in lower case, without the dot at its end.
func canonical(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// Allowed lists what is allowed besides ordinary addresses.
func (p Policy) Allowed() []string {
	out := make([]string, len(p.allow))
	for i, r := range p.allow {
		out[i] = r.text
	}
	return out
}

// Check judges an address to which host resolved. It returns a *v1.ErrorDetail of class policy when the address is
// refused.
func (p Policy) Check(host string, at netip.AddrPort) error {
	ip := at.Addr().Unmap().WithZone("")
	kind := special(ip)
	if kind == "" || p.allows(canonical(host), ip, at.Port()) {
		return nil
	}
	asked := net.JoinHostPort(host, strconv.Itoa(int(at.Port())))
	message := fmt.Sprintf("the agent does not connect to %s: it is %s", asked, kind)
	if host != ip.String() {
		message = fmt.Sprintf("the agent does not connect to %s: the name resolves to %s, which is %s", asked, ip, kind)
	}
	return &v1.ErrorDetail{
		Class:   v1.ClassPolicy,
		Code:    Code,
		Phase:   "connect",
		Message: message,
		Target:  &v1.Target{Host: asked},
		Hint: fmt.Sprintf(
			"If this target is meant, allow it on the agent's host: add %q to allow_targets in config.json, or set "+
				"%s, and restart the agent.",
			asked,
			Env,
		),
	}
}

// allows says whether a rule opens the address. A rule with a name is for the name that was dialed.
func (p Policy) allows(host string, ip netip.Addr, port uint16) bool {
	for _, r := range p.allow {
		if r.port != 0 && r.port != port {
			continue
		}
		if r.name != "" && r.name == host || r.name == "" && r.prefix.Contains(ip) {
			return true
		}
	}
	return false
}

// special names the kind of an address that is refused by default; empty for an ordinary one.
func special(ip netip.Addr) string {
	for _, k := range kinds {
		for _, prefix := range k.prefixes {
			if prefix.Contains(ip) {
				return k.name
			}
		}
	}
	for prefix, at := range embedding {
		if prefix.Contains(ip) {
			b := ip.As16()
			return special(netip.AddrFrom4([4]byte(b[at : at+4])))
		}
	}
	return ""
}

// DialFunc opens a connection, as net.Dialer.DialContext does.
type DialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// Dial is d behind the policy. Each address is judged after the name was resolved and before a packet is sent to it,
// so that no name server can lead elsewhere between the two.
func (p Policy) Dial(d net.Dialer) DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, err
		}
		guarded := d
		guarded.ControlContext = func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(resolved)
			if err != nil {
				return fmt.Errorf("the address %q cannot be judged: %w", resolved, err)
			}
			return p.Check(host, at)
		}
		conn, err := guarded.DialContext(ctx, network, addr)
		var refused *v1.ErrorDetail
		if errors.As(err, &refused) {
			return nil, refused
		}
		return conn, err
	}
}

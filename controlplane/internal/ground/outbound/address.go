package outbound

import (
	"net"
	"net/netip"
	"strings"

	"code.dny.dev/ssrf"
)

// special are ranges that an opened range does not open by merely containing them: only a prefix that lies inside one
// of them does. They lead back to this machine, to the cloud's metadata, to many receivers, or hide another address
// within.
var special = prefixes(
	"0.0.0.0/8",          // "this host": Linux connects to loopback
	"127.0.0.0/8",        // loopback
	"169.254.0.0/16",     // link-local, metadata of most clouds
	"168.63.129.16/32",   // metadata of Azure, inside the public space
	"100.100.100.200/32", // metadata of Alibaba
	"192.0.0.192/32",     // metadata of Oracle
	"224.0.0.0/4",        // multicast
	"255.255.255.255/32",
	"::/96",          // unspecified, loopback, and IPv4-compatible addresses
	"64:ff9b::/96",   // NAT64: an IPv4 address within
	"64:ff9b:1::/48", // local NAT64
	"2001::/32",      // Teredo
	"2002::/16",      // 6to4
	"fd00:ec2::/32",  // metadata of Amazon
	"fe80::/10",      // link-local
	"fec0::/10",      // site-local
	"ff00::/8",       // multicast
)

// registry denies what IANA's special-purpose registries list, and all of IPv6 outside the global unicast space.
var registry = ssrf.New(ssrf.WithAnyPort(), ssrf.WithAnyNetwork(),
	ssrf.WithDeniedV4Prefixes(prefixes("168.63.129.16/32")...), // Azure's metadata looks public
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// allows judges one address. addr must be unmapped: an IPv4 address in IPv6 clothes is the IPv4 address.
func (g *Guard) allows(addr netip.AddrPort) bool {
	ip := addr.Addr()
	switch {
	case !ip.IsValid() || ip.Is4In6() || ip.Zone() != "" || g.isOwn(addr):
		return false
	case g.opened(ip):
		return true
	}
	return registry.SafeAddr(ip) == nil && !isISATAP(ip)
}

// opened reports whether the operator opened the address.
func (g *Guard) opened(ip netip.Addr) bool {
	for _, p := range g.AllowCIDRs {
		if p = p.Masked(); p.Contains(ip) && insideSpecial(p, ip) {
			return true
		}
	}
	return false
}

// insideSpecial reports whether p may open ip: always, unless ip is special and p is wider than what makes it so.
func insideSpecial(p netip.Prefix, ip netip.Addr) bool {
	for _, s := range special {
		if s.Contains(ip) && !(p.Bits() >= s.Bits() && s.Contains(p.Addr())) {
			return false
		}
	}
	return true
}

// isISATAP reports an interface identifier that carries an IPv4 address (RFC 5214 section 6.1).
func isISATAP(ip netip.Addr) bool {
	if !ip.Is6() {
		return false
	}
	b := ip.As16()
	return b[8]&^0x02 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

// isOwn reports whether the address is one that this process itself listens on.
func (g *Guard) isOwn(addr netip.AddrPort) bool {
	for _, own := range g.Own {
		if own.Port() != addr.Port() {
			continue
		}
		ip := own.Addr().Unmap()
		if ip == addr.Addr() || ip.IsUnspecified() && isLocal(addr.Addr()) {
			return true
		}
	}
	return false
}

// isLocal reports whether an address is one of this machine's.
func isLocal(ip netip.Addr) bool {
	if ip.IsLoopback() || ip.IsUnspecified() {
		return true
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Unmap() == ip {
			return true
		}
	}
	return false
}

// plainHost reports whether a host can only mean one thing: a name of ASCII letters, digits, hyphens and underscores, a
// dotted quad or an IPv6 address. Other spellings of numbers (0x7f.1, 2130706433, 127.1) are read differently by
// different libraries and are never needed.
func plainHost(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Zone() == "" && !ip.Is4In6()
	}
	name := strings.TrimSuffix(host, ".")
	if name == "" || len(name) > 253 {
		return false
	}
	labels := strings.Split(name, ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || strings.ContainsFunc(l, notHostRune) {
			return false
		}
	}
	return !isNumber(labels[len(labels)-1])
}

func notHostRune(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
}

// isNumber reports whether a last label makes the host an IPv4 number (WHATWG URL, "ends in a number").
func isNumber(label string) bool {
	lower := strings.ToLower(label)
	if hex, ok := strings.CutPrefix(lower, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(lower, "0123456789") == ""
}

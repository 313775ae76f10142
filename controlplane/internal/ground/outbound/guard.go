package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const (
	lookupTimeout  = 5 * time.Second
	connectTimeout = 5 * time.Second
	maxAddresses   = 16 // a name with more answers than this is refused
)

// Resolver finds the addresses of a name; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Guard decides where the deployment may connect on a tenant's behalf. The zero Guard allows the public internet over
// TLS.
type Guard struct {
	// AllowCIDRs are ranges that the operator opened. Loopback, link-local, metadata and multicast addresses are opened
	// only by prefixes inside those ranges: 0.0.0.0/0 does not open 127.0.0.1, 127.0.0.0/8 does.
	AllowCIDRs []netip.Prefix
	// AllowPlaintext lets http and ldap cross to addresses outside the opened ranges.
	AllowPlaintext bool
	// Own are addresses that this process listens on. They are never dialled. An unspecified address stands for every
	// address of this machine.
	Own []netip.AddrPort
	// Resolver is the system's when nil.
	Resolver Resolver
}

// Dial connects to host:port when every address of the host is allowed, and only to an address that was checked. It
// returns a *v1.ErrorDetail of class policy when it refuses, which does not say what the name resolved to, and the
// network's own error otherwise. network is tcp, tcp4 or tcp6.
func (g *Guard) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if network != "tcp" && network != "tcp4" && network != "tcp6" {
		return nil, refused(addr)
	}
	addrs, err := g.resolve(ctx, addr)
	if err != nil {
		return nil, err
	}
	for _, a := range addrs {
		if !g.allows(a) {
			return nil, refused(addr)
		}
	}
	return g.connect(ctx, network, addrs, addr)
}

// connect tries the checked addresses in turn.
func (g *Guard) connect(ctx context.Context, network string, addrs []netip.AddrPort, shown string) (net.Conn, error) {
	d := net.Dialer{Timeout: connectTimeout, Control: g.control(shown)}
	var errs []error
	for _, a := range addrs {
		conn, err := d.DialContext(ctx, network, a.String())
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(errs...)
}

// control looks once more at the very address that the kernel is about to connect to.
func (g *Guard) control(shown string) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		a, err := netip.ParseAddrPort(address)
		if err != nil || !g.allows(netip.AddrPortFrom(a.Addr().Unmap(), a.Port())) {
			return refused(shown)
		}
		return nil
	}
}

// Plaintext says whether credentials and data may cross to host:port without TLS: inside the opened ranges they may;
// elsewhere only when the operator allowed plaintext, and then with a warning. It returns a *v1.ErrorDetail of class
// policy when they may not.
func (g *Guard) Plaintext(ctx context.Context, hostport string) (warn bool, err error) {
	if g.AllowPlaintext {
		return !g.allOpened(ctx, hostport), nil
	}
	addrs, err := g.resolve(ctx, hostport)
	if err != nil {
		return false, err
	}
	for _, a := range addrs {
		if !g.opened(a.Addr()) {
			return false, &v1.ErrorDetail{
				Class:   v1.ClassPolicy,
				Code:    "plaintext_not_allowed",
				Target:  &v1.Target{Host: hostport},
				Message: hostport + " may not be spoken to without TLS",
				Hint: "Use https, ldaps or StartTLS. Inside ranges that the operator opened " +
					"(GRANTWRIGHT_EGRESS_ALLOW_CIDRS) plain connections are allowed.",
			}
		}
	}
	return false, nil
}

func (g *Guard) allOpened(ctx context.Context, hostport string) bool {
	addrs, err := g.resolve(ctx, hostport)
	for _, a := range addrs {
		if !g.opened(a.Addr()) {
			return false
		}
	}
	return err == nil
}

// resolve finds every address that addr (host:port) may mean.
func (g *Guard) resolve(ctx context.Context, addr string) ([]netip.AddrPort, error) {
	host, portText, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, refused(addr)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || port == 0 || !plainHost(host) {
		return nil, refused(addr)
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.AddrPort{netip.AddrPortFrom(ip, uint16(port))}, nil
	}
	ips, err := g.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	if len(ips) > maxAddresses {
		return nil, refused(addr)
	}
	out := make([]netip.AddrPort, len(ips))
	for i, ip := range ips {
		out[i] = netip.AddrPortFrom(ip.Unmap(), uint16(port))
	}
	return out, nil
}

func (g *Guard) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	var resolver Resolver = net.DefaultResolver
	if g.Resolver != nil {
		resolver = g.Resolver
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	// All families are asked for, whatever the caller dials: a name with one forbidden answer is not trusted at all.
	ips, err := resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", host, err)
	}
	if len(ips) == 0 {
		return nil, &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
	}
	return ips, nil
}

// refused names the host as the tenant wrote it and nothing that it resolved to: the answers of an inner name server
// are none of the tenant's business.
func refused(addr string) *v1.ErrorDetail {
	return &v1.ErrorDetail{
		Class:   v1.ClassPolicy,
		Code:    "destination_not_allowed",
		Target:  &v1.Target{Host: addr},
		Message: fmt.Sprintf("connections to %s are not allowed from here", addr),
		Hint: "Private, local and special addresses are closed. Use an agent inside that network, or let the " +
			"operator open the range " +
			"with GRANTWRIGHT_EGRESS_ALLOW_CIDRS.",
	}
}

package config

import (
	"net"
	"net/netip"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// OwnAddresses are where this process listens, and where its database does. Connections that tenants chose never lead
// there, also not where the operator opened the range that holds them.
func OwnAddresses(c Config) []netip.AddrPort {
	own := append(resolved(c.Listen), resolved(c.Ops())...)
	for _, url := range []string{c.DatabaseURL, c.DatabaseOwnerURL, c.DatabaseBackupURL} {
		if url == "" {
			continue
		}
		database, err := pgx.ParseConfig(url)
		if err != nil {
			continue // connecting to it reports the error
		}
		own = append(own, resolved(net.JoinHostPort(database.Host, strconv.Itoa(int(database.Port))))...)
		for _, other := range database.Fallbacks {
			own = append(own, resolved(net.JoinHostPort(other.Host, strconv.Itoa(int(other.Port))))...)
		}
	}
	return own
}

// resolved are the addresses of HOST:PORT; none for sockets of the file system, for a port that is chosen at the start,
// and for names that are not known.
func resolved(address string) []netip.AddrPort {
	host, port, err := net.SplitHostPort(address)
	if err != nil || port == "0" {
		return nil
	}
	if host == "" {
		host = "::"
	}
	ips, err := net.LookupHost(host)
	if err != nil {
		return nil
	}
	var found []netip.AddrPort
	for _, ip := range ips {
		if at, err := netip.ParseAddrPort(net.JoinHostPort(ip, port)); err == nil {
			found = append(found, netip.AddrPortFrom(at.Addr().Unmap(), at.Port()))
		}
	}
	return found
}

package admission

import (
	"net"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/grantwright/grantwright/controlplane/internal/ground/limit/network"
)

// Connections bounds how many connections to a listener are open at once, in all and from one network: an IPv4
// address, or the /64 of an IPv6 address. A connection beyond is accepted and closed at once, before anything is read
// of it. Zero means no bound.
//
// Slow connections cost little each and end by the server's timeouts. Without a bound, though, one host can hold as
// many as the process may have open files, and then no one else gets in.
type Connections struct {
	Most        int
	FromOne     int
	open        atomic.Int64
	refusedAll  atomic.Int64
	refusedFrom atomic.Int64
	networks    tally
}

// Open is how many connections are open.
func (c *Connections) Open() int64 { return c.open.Load() }

// Refused is how many connections were closed because there were too many in all, and too many from one network.
func (c *Connections) Refused() (all, fromOne int64) {
	return c.refusedAll.Load(), c.refusedFrom.Load()
}

// Listen bounds the connections of a listener.
func (c *Connections) Listen(l net.Listener) net.Listener {
	return &bounded{Listener: l, connections: c}
}

type bounded struct {
	net.Listener
	connections *Connections
}

// Accept waits for the next connection that is within the bounds.
func (b *bounded) Accept() (net.Conn, error) {
	for {
		conn, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if leave, ok := b.connections.admit(conn); ok {
			return &counted{Conn: conn, leave: leave}, nil
		}
		if tcp, is := conn.(*net.TCPConn); is {
			_ = tcp.SetLinger(0) // leaves nothing behind on this side
		}
		_ = conn.Close()
	}
}

// admit counts a connection, and gives what takes it off again.
func (c *Connections) admit(conn net.Conn) (leave func(), ok bool) {
	if open := c.open.Add(1); c.Most > 0 && open > int64(c.Most) {
		c.open.Add(-1)
		c.refusedAll.Add(1)
		return nil, false
	}
	from := netip.Prefix{}
	if host, _, err := net.SplitHostPort(conn.RemoteAddr().String()); c.FromOne > 0 && err == nil {
		from = network.Of(host)
		if !c.networks.take(from, c.FromOne) {
			c.open.Add(-1)
			c.refusedFrom.Add(1)
			return nil, false
		}
	}
	return sync.OnceFunc(func() {
		c.open.Add(-1)
		if from.IsValid() {
			c.networks.give(from)
		}
	}), true
}

// counted is a connection that counts until it is closed.
type counted struct {
	net.Conn
	leave func()
}

// Close closes the connection and takes it off the count.
func (c *counted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

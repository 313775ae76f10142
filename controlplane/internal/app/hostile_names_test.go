package app_test

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer answers for a few names, over real DNS: what the service is told is what its own resolver was told.
type nameServer struct {
	mu      sync.Mutex
	records map[string][]string // addresses, or the one name that it is another name for
}

// newNameServer makes the process ask this server until the test ends.
func newNameServer(t *testing.T, records map[string][]string) *nameServer {
	t.Helper()
	n := &nameServer{records: records}
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go n.serve(conn)
	before := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = before })
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
	return n
}

// set gives a name other answers from now on.
func (n *nameServer) set(name string, answers ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.records[name] = answers
}

func (n *nameServer) serve(conn net.PacketConn) {
	buffer := make([]byte, 4096)
	for {
		size, from, err := conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		var query dnsmessage.Message
		if query.Unpack(buffer[:size]) != nil || len(query.Questions) != 1 {
			continue
		}
		if out, err := n.answer(query).Pack(); err == nil {
			_, _ = conn.WriteTo(out, from)
		}
	}
}

func (n *nameServer) answer(query dnsmessage.Message) *dnsmessage.Message {
	n.mu.Lock()
	defer n.mu.Unlock()
	q := query.Questions[0]
	out := &dnsmessage.Message{
		Header:    dnsmessage.Header{ID: query.ID, Response: true, RecursionAvailable: true},
		Questions: query.Questions,
	}
	name := strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))
	for depth := 0; depth < 3; depth++ {
		list, known := n.records[name]
		if !known {
			out.RCode = dnsmessage.RCodeNameError
			return out
		}
		header := dnsmessage.ResourceHeader{
			Name:  dnsmessage.MustNewName(name + "."),
			Class: dnsmessage.ClassINET,
			TTL:   0,
		}
		next := ""
		for _, a := range list {
			ip, err := netip.ParseAddr(a)
			switch {
			case err != nil:
				header.Type, next = dnsmessage.TypeCNAME, a
				out.Answers = append(
					out.Answers,
					dnsmessage.Resource{
						Header: header,
						Body:   &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName(a + ".")},
					},
				)
			case ip.Is4() && q.Type == dnsmessage.TypeA:
				header.Type = dnsmessage.TypeA
				out.Answers = append(
					out.Answers,
					dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: ip.As4()}},
				)
			case ip.Is6() && q.Type == dnsmessage.TypeAAAA:
				header.Type = dnsmessage.TypeAAAA
				out.Answers = append(
					out.Answers,
					dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}},
				)
			}
		}
		if next == "" {
			return out
		}
		name = next
	}
	return out
}

// sentinel listens on every address by which this machine reaches itself, all at one port, and counts who comes.
func sentinel(t *testing.T) (port string, visits *atomic.Int64) {
	t.Helper()
	visits = new(atomic.Int64)
	for _, host := range []string{"127.0.0.1", "::1"} {
		l, err := net.Listen("tcp", net.JoinHostPort(host, cmp.Or(port, "0")))
		if err != nil {
			if host == "::1" {
				continue // a machine without IPv6
			}
			t.Fatal(err)
		}
		_, port, _ = net.SplitHostPort(l.Addr().String())
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				visits.Add(1)
				_, _ = c.Write(
					[]byte(
						"HTTP/1.1 200 OK\r\nContent-Length: 11\r\nContent-Type: application/json\r\n\r\nCANARY-inner",
					),
				)
				_ = c.Close()
			}
		}()
	}
	return port, visits
}

// unsigned is an ID token of an issuer whose signature is nothing.
func unsigned(issuer string) string {
	part := func(v any) string {
		b, _ := json.Marshal(v)
		return base64.RawURLEncoding.EncodeToString(b)
	}
	now := time.Now().Unix()
	return part(map[string]any{"alg": "RS256", "kid": "1"}) + "." +
		part(
			map[string]any{"iss": issuer, "aud": "c", "sub": "1", "exp": now + 300, "iat": now},
		) + "." + base64.RawURLEncoding.EncodeToString(make([]byte, 256))
}

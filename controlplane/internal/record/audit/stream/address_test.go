package stream

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// special are addresses within every range that nothing of a tenant's may reach.
var special = []string{
	"0.0.0.0",
	"0.1.2.3",
	"10.0.0.1",
	"100.64.0.1",
	"100.100.100.200",
	"127.0.0.1",
	"169.254.169.254",
	"169.254.170.2",
	"168.63.129.16",
	"172.16.0.1",
	"192.0.0.1",
	"192.0.0.192",
	"192.0.2.1",
	"192.31.196.1",
	"192.52.193.1",
	"192.88.99.1",
	"192.168.0.1",
	"192.175.48.1",
	"198.18.0.1",
	"198.51.100.1",
	"203.0.113.1",
	"224.0.0.1",
	"240.0.0.1",
	"255.255.255.255",
	"::",
	"::1",
	"::127.0.0.1",
	"::ffff:10.0.0.1",
	"64:ff9b::1",
	"64:ff9b:1::1",
	"100::1",
	"2001::1",
	"2001:db8::1",
	"2002:7f00:1::",
	"3fff::1",
	"5f00::1",
	"fc00::1",
	"fd00:ec2::254",
	"fe80::1",
	"fec0::1",
	"ff02::1",
}

// doubtful are hosts that other programs would take for another than they look like.
var doubtful = []string{
	"0x7f.1",
	"2130706433",
	"017700000001",
	"127.1",
	"LOCALHOST.",
	"localhost",
	"[::ffff:7f00:1]",
	"[::1%25lo]",
	"a@b@127.0.0.1",
	"①②⑦.0.0.1",
	"metadata.google.internal",
	"exämple.de",
	strings.Repeat("a", 3<<10),
	"ok.example\t",
	"ok.example\n",
	"user:pw@ok.example",
}

// everywhere resolves each name to the same addresses.
type everywhere []string

func (e everywhere) LookupNetIP(_ context.Context, _, host string) (out []netip.Addr, err error) {
	if host == "metadata.google.internal" || strings.HasPrefix(strings.ToLower(host), "localhost") {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	for _, a := range e {
		out = append(out, netip.MustParseAddr(a))
	}
	return out, nil
}

// judge asks a service with nothing opened about a sink of each kind at a host.
func judge(t *testing.T, resolver outbound.Resolver, host string) {
	t.Helper()
	s := New(nil, nil, &outbound.Guard{Resolver: resolver}, nil, slog.New(slog.DiscardHandler))
	for _, sink := range [][2]string{{HTTPS, "https://" + host + "/in"}, {HTTPS, "https://" + host + ":8443/"},
		{Syslog, "tls://" + host + ":6514"}, {Syslog, "tcp://" + host + ":514"}} {
		if err := s.checkDestination(ctx, sink[0], sink[1]); !fault.IsCode(err, "destination_not_allowed") {
			t.Errorf("%.60q: %v; want destination_not_allowed", sink[1], err)
		}
	}
}

func TestNoSinkIsAtASpecialAddress(t *testing.T) {
	for _, addr := range special {
		host := addr
		if strings.Contains(addr, ":") {
			host = "[" + addr + "]"
		}
		judge(t, nil, host)
		judge(t, everywhere{addr}, "sink.example")
		judge(t, everywhere{"8.8.8.8", addr}, "sink.example")
	}
	for _, host := range doubtful {
		judge(t, everywhere{"8.8.8.8"}, host)
	}
	s := New(nil, nil, &outbound.Guard{Resolver: everywhere{"8.8.8.8"}}, nil, slog.New(slog.DiscardHandler))
	for _, good := range [][2]string{{HTTPS, "https://sink.example/in"}, {Syslog, "tls://sink.example:6514"},
		{Syslog, "tls://sink.example:601"}} {
		if err := s.checkDestination(ctx, good[0], good[1]); err != nil {
			t.Errorf("%s: %v", good[1], err)
		}
	}
	for _, bad := range [][2]string{
		{HTTPS, "http://sink.example/"}, {HTTPS, "file:///etc/passwd"}, {HTTPS, "gopher://sink.example/"},
		{HTTPS, "ldap://sink.example/"}, {HTTPS, "hTTp://sink.example/"},
		{Syslog, "udp://sink.example:514"}, {Syslog, "tls://sink.example:22"}, {Syslog, "tls://sink.example:6514/x"},
		{Syslog, "tls://sink.example"}, {Syslog, "tcp://sink.example:514"},
	} {
		if err := s.checkDestination(ctx, bad[0], bad[1]); !fault.IsCode(err, "destination_not_allowed") {
			t.Errorf("%s: %v; want destination_not_allowed", bad[1], err)
		}
	}
}

// changing answers with a public address when it is asked for the first time, and with this machine's ever after.
type changing struct{ asked atomic.Int64 }

func (c *changing) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	if c.asked.Add(1) == 1 {
		return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
	}
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

func TestANameThatChangesItsMindIsSentNothing(t *testing.T) {
	for _, kind := range []string{HTTPS, Syslog} {
		t.Run(kind, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			var connected atomic.Int64
			go func() {
				for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
					connected.Add(1)
					conn.Close()
				}
			}()
			_, port, _ := net.SplitHostPort(l.Addr().String())
			st := Stream{
				Kind:   kind,
				URL:    map[string]string{HTTPS: "https://", Syslog: "tls://"}[kind] + "sink.example:" + port,
				Format: NDJSON,
			}
			s := New(nil, nil, &outbound.Guard{Resolver: &changing{}}, nil, slog.New(slog.DiscardHandler))
			if err := s.checkDestination(ctx, kind, st.URL); err != nil {
				t.Fatalf("at first it looks public: %v", err)
			}
			if err := s.send(
				ctx,
				"t1",
				st,
				secrets{},
				[]message{pingOf("t1", NDJSON)},
			); err == nil ||
				connected.Load() != 0 {
				t.Errorf("sent: %v, %d connections", err, connected.Load())
			}
		})
	}
}

func TestASinkThatPointsElsewhereIsNotFollowed(t *testing.T) {
	var reached atomic.Int64
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer inner.Close()
	for _, status := range []int{302, 307, 308} {
		sink := newSink(t)
		sink.Config.Handler = http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, inner.URL, status) },
		)
		guard := &outbound.Guard{AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
		s := New(nil, nil, guard, nil, slog.New(slog.DiscardHandler))
		st := Stream{Kind: HTTPS, URL: sink.URL, Format: NDJSON, Header: "Authorization"}
		err := s.send(
			ctx,
			"t1",
			st,
			secrets{header: canary, ca: seal.Secret(sink.ca())},
			[]message{pingOf("t1", NDJSON)},
		)
		var r *refusal
		if !errors.As(err, &r) || r.status != status || strings.Contains(err.Error(), inner.URL) ||
			reached.Load() != 0 {
			t.Errorf("%d: %v, %d requests behind it", status, err, reached.Load())
		}
	}
}

func TestASinkWithAnotherNamesCertificateIsSentNothing(t *testing.T) {
	sink := newSink(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	got := receiver(t, tls.NewListener(l, sink.TLS))
	_, port, _ := net.SplitHostPort(l.Addr().String())
	guard := &outbound.Guard{
		Resolver:   everywhere{"127.0.0.1"},
		AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	}
	s := New(nil, nil, guard, nil, slog.New(slog.DiscardHandler))
	st := Stream{Kind: Syslog, URL: "tls://elsewhere.test:" + port, Format: NDJSON}
	err = s.send(ctx, "t1", st, secrets{ca: seal.Secret(sink.ca())}, []message{pingOf("t1", NDJSON)})
	if err == nil || !strings.Contains(err.Error(), "certificate") || len(got()) != 0 {
		t.Errorf("sent: %v, %q", err, got())
	}
}

func TestPausesDoubleUpToTheLongestAndHeedTheSink(t *testing.T) {
	s := &Service{pace: pace{first: time.Second, longest: 5 * time.Minute}}
	for attempt, most := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 5: 16 * time.Second,
		9: 256 * time.Second, 10: 5 * time.Minute, 90: 5 * time.Minute} {
		seen := map[time.Duration]bool{}
		for range 200 {
			p := s.pause(attempt, errors.New("down"))
			if p < most/2 || p > most {
				t.Fatalf("attempt %d: %s; want between half of %s and all of it", attempt, p, most)
			}
			seen[p] = true
		}
		if len(seen) < 50 {
			t.Errorf("attempt %d: %d different pauses of 200", attempt, len(seen))
		}
	}
	if p := s.pause(1, &refusal{status: 429, after: 90 * time.Second}); p != 90*time.Second {
		t.Errorf("the sink asked for 90 s and is asked again after %s", p)
	}
}

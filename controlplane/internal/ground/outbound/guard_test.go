package outbound_test

import (
	"context"
	"errors"
	"io"
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
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

var ctx = context.Background()

// names answers with fixed addresses; a name with several lists answers with the next one each time.
type names struct {
	answers map[string][][]string
	asked   atomic.Int64
}

func (n *names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	turn := int(n.asked.Add(1)) - 1
	lists, ok := n.answers[strings.TrimSuffix(host, ".")]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var out []netip.Addr
	for _, s := range lists[min(turn, len(lists)-1)] {
		out = append(out, netip.MustParseAddr(s))
	}
	return out, nil
}

func one(host string, addrs ...string) *names {
	return &names{answers: map[string][][]string{host: {addrs}}}
}

func cidrs(t *testing.T, list ...string) []netip.Prefix {
	t.Helper()
	p, err := outbound.ParseCIDRs(list)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func isRefusal(err error) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) && d.Class == v1.ClassPolicy && d.Code == "destination_not_allowed"
}

// allowed asks the guard about a name with this address, without sending a packet.
func allowed(g outbound.Guard, addr string) bool {
	g.Resolver = one("target.example", addr)
	return g.CheckURL(ctx, "https://target.example/", "the address") == nil
}

// denied are addresses within every special range, as the vectors of the design list them.
var denied = []string{
	"0.0.0.0",
	"0.1.2.3",
	"10.0.0.1",
	"10.255.255.255",
	"100.64.0.0",
	"100.127.255.255",
	"100.100.100.200",
	"127.0.0.1",
	"127.255.255.254",
	"169.254.169.254",
	"169.254.170.2",
	"168.63.129.16",
	"172.16.0.1",
	"172.31.255.255",
	"192.0.0.1",
	"192.0.0.192",
	"192.0.2.1",
	"192.31.196.1",
	"192.52.193.1",
	"192.88.99.1",
	"192.168.0.1",
	"192.175.48.1",
	"198.18.0.1",
	"198.19.255.255",
	"198.51.100.1",
	"203.0.113.1",
	"224.0.0.1",
	"239.255.255.255",
	"240.0.0.1",
	"255.255.255.255",
	"::",
	"::1",
	"::127.0.0.1",
	"::8.8.8.8",
	"::ffff:127.0.0.1",
	"::ffff:10.0.0.1",
	"64:ff9b::1",
	"64:ff9b::808:808",
	"64:ff9b::7f00:1",
	"64:ff9b:1::1",
	"100::1",
	"2001::1",
	"2001:2::1",
	"2001:10::1",
	"2001:1ff:ffff::1",
	"2001:db8::1",
	"2002::1",
	"2002:7f00:1::",
	"3fff::1",
	"3fff:fff::1",
	"5f00::1",
	"fc00::1",
	"fd00:ec2::254",
	"fe80::1",
	"fec0::1",
	"ff02::1",
	"ff0e::1",
	"2620:4f:8000::1",
	"2600:1f00::200:5efe:7f00:1",
	"2600:1f00::5efe:808:808",
	"64:ff9c::1", // outside the space that is assigned to anybody
}

var public = []string{
	"100.63.255.254",
	"100.128.0.1",
	"8.8.8.8",
	"168.63.129.17",
	"2606:4700:4700::1111",
	"2a00:1450:4001::1",
	"::ffff:8.8.8.8",
}

func TestSpecialAddressesAreRefusedAndPublicOnesAreNot(t *testing.T) {
	for _, addr := range denied {
		if allowed(outbound.Guard{}, addr) {
			t.Errorf("a name at %s is allowed", addr)
		}
		g := outbound.Guard{Resolver: one("target.example", addr)}
		if _, err := g.Dial(ctx, "tcp", "target.example:443"); !isRefusal(err) {
			t.Errorf("dialling a name at %s: %v", addr, err)
		}
		literal := net.JoinHostPort(addr, "443")
		_, err := (&outbound.Guard{}).Dial(ctx, "tcp", literal)
		if !isRefusal(err) {
			t.Errorf("dialling %s: %v", literal, err)
		}
	}
	for _, addr := range public {
		if !allowed(outbound.Guard{}, addr) {
			t.Errorf("a name at %s is refused", addr)
		}
	}
}

func TestOpenedRangesOpenSpecialAddressesOnlyWhenTheyNameThem(t *testing.T) {
	tests := []struct {
		opened, addr string
		want         bool
	}{
		{"10.0.0.0/8", "10.1.2.3", true},
		{"10.0.0.0/8", "192.168.0.1", false},
		{"0.0.0.0/0", "192.168.0.1", true},
		{"0.0.0.0/0", "100.100.100.200", false},
		{"0.0.0.0/0", "127.0.0.1", false},
		{"0.0.0.0/0", "0.0.0.0", false},
		{"0.0.0.0/0", "169.254.169.254", false},
		{"0.0.0.0/0", "224.0.0.1", false},
		{"0.0.0.0/0", "168.63.129.16", false},
		{"100.64.0.0/10", "100.100.100.200", false},
		{"100.64.0.0/10", "100.64.0.9", true},
		{"100.100.100.200", "100.100.100.200", true},
		{"127.0.0.0/8", "127.0.0.1", true},
		{"127.0.0.1", "127.0.0.1", true},
		{"127.0.0.1", "127.0.0.2", false},
		{"169.254.169.254/32", "169.254.169.254", true},
		{"169.254.10.0/24", "169.254.169.254", false},
		{"::/0", "::1", false},
		{"::/0", "fd00::1", true},
		{"::/0", "fd00:ec2::254", false},
		{"::/0", "64:ff9b::a00:1", false},
		{"::/0", "::ffff:10.0.0.1", false},
		{"::1", "::1", true},
		{"fe80::/10", "fe80::1", true},
		{"fd00::/8", "fd12::1", true},
		{"fd00::/8", "fc00::1", false},
		{"64:ff9b::/96", "64:ff9b::808:808", true},
	}
	for _, tt := range tests {
		g := outbound.Guard{AllowCIDRs: cidrs(t, tt.opened)}
		if got := allowed(g, tt.addr); got != tt.want {
			t.Errorf("%s opened: %s allowed = %v; want %v", tt.opened, tt.addr, got, tt.want)
		}
	}
	if _, err := outbound.ParseCIDRs([]string{"10.0.0.0/8", "", "corp"}); err == nil {
		t.Error("an opened range that is none was accepted")
	}
}

// sentinel is a listener that counts who came.
func sentinel(t *testing.T) (addr string, visits *atomic.Int64) {
	t.Helper()
	visits = new(atomic.Int64)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			visits.Add(1)
			_ = c.Close()
		}
	}()
	return l.Addr().String(), visits
}

func TestANameWithOneForbiddenAnswerIsRefusedWhole(t *testing.T) {
	addr, visits := sentinel(t)
	_, port, _ := net.SplitHostPort(addr)
	for _, answers := range [][]string{{"127.0.0.1", "8.8.8.8"}, {"8.8.8.8", "127.0.0.1"}, {"8.8.8.8", "::1"},
		{"127.0.0.1"}} {
		g := &outbound.Guard{Resolver: one("two.example", answers...)}
		_, err := g.Dial(ctx, "tcp", "two.example:"+port)
		if !isRefusal(err) {
			t.Errorf("answers %v: %v; want a refusal", answers, err)
			continue
		}
		if text := err.Error(); strings.Contains(text, "127.0.0.1") || strings.Contains(text, "::1") {
			t.Errorf("the refusal tells what the name resolved to: %s", text)
		}
	}
	if n := visits.Load(); n != 0 {
		t.Errorf("%d connections reached this machine", n)
	}
}

func TestANameThatChangesItsMindIsCaughtWhenItIsDialled(t *testing.T) {
	addr, visits := sentinel(t)
	_, port, _ := net.SplitHostPort(addr)
	resolver := &names{answers: map[string][][]string{"rebind.example": {{"8.8.8.8"}, {"127.0.0.1"}}}}
	g := &outbound.Guard{Resolver: resolver}
	if err := g.CheckURL(ctx, "https://rebind.example:"+port+"/hook", "the callback address"); err != nil {
		t.Fatalf("while the answer was public: %v", err)
	}
	if _, err := g.Client(time.Second).Get("https://rebind.example:" + port + "/hook"); !isRefusal(err) {
		t.Errorf("after the answer became local: %v; want a refusal", err)
	}
	if n := resolver.asked.Load(); n != 2 {
		t.Errorf("the name was looked up %d times; a second look after the check could answer differently", n)
	}
	if n := visits.Load(); n != 0 {
		t.Errorf("%d connections reached this machine", n)
	}
}

func TestAnOpenedRangeIsReached(t *testing.T) {
	addr, visits := sentinel(t)
	_, port, _ := net.SplitHostPort(addr)
	g := &outbound.Guard{AllowCIDRs: cidrs(t, "127.0.0.0/8"), Resolver: one("inner.example", "127.0.0.1")}
	conn, err := g.Dial(ctx, "tcp", "inner.example:"+port)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, conn)
	_ = conn.Close()
	if visits.Load() != 1 {
		t.Errorf("visits = %d", visits.Load())
	}
	for _, own := range []string{addr, "0.0.0.0:" + port, "[::]:" + port} {
		g.Own = []netip.AddrPort{netip.MustParseAddrPort(own)}
		if _, err := g.Dial(ctx, "tcp", "inner.example:"+port); !isRefusal(err) {
			t.Errorf("listening on %s ourselves: %v; want a refusal", own, err)
		}
	}
	if _, err := g.Dial(ctx, "udp", addr); !isRefusal(err) {
		t.Errorf("udp: %v; want a refusal", err)
	}
}

func TestPlaintextIsForOpenedRangesOrByConfiguration(t *testing.T) {
	tests := []struct {
		name     string
		guard    outbound.Guard
		warn, ok bool
	}{
		{"closed", outbound.Guard{}, false, false},
		{"inside an opened range", outbound.Guard{AllowCIDRs: cidrs(t, "10.0.0.0/8")}, false, true},
		{"half inside", outbound.Guard{AllowCIDRs: cidrs(t, "10.0.0.1/32")}, false, false},
		{"by configuration", outbound.Guard{AllowPlaintext: true}, true, true},
		{
			"by configuration, inside",
			outbound.Guard{AllowPlaintext: true, AllowCIDRs: cidrs(t, "10.0.0.0/8")},
			false,
			true,
		},
	}
	for _, tt := range tests {
		tt.guard.Resolver = one("ldap.corp", "10.0.0.1", "10.0.0.2")
		warn, err := tt.guard.Plaintext(ctx, "ldap.corp:389")
		if warn != tt.warn || (err == nil) != tt.ok {
			t.Errorf("%s: warn %v, err %v; want %v, ok %v", tt.name, warn, err, tt.warn, tt.ok)
		}
		var d *v1.ErrorDetail
		if err != nil && (!errors.As(err, &d) || d.Code != "plaintext_not_allowed") {
			t.Errorf("%s: %v is not plaintext_not_allowed", tt.name, err)
		}
	}
}

func TestAddressesOfDoubtfulFormAreRefused(t *testing.T) {
	g := &outbound.Guard{
		AllowPlaintext: true,
		Resolver: &names{answers: map[string][][]string{
			"ok.example": {
				{"8.8.8.8"},
			},
			"LOCALHOST":                {{"127.0.0.1"}},
			"metadata.google.internal": {{"169.254.169.254"}},
			"0x7f.1":                   {{"8.8.8.8"}},
			"2130706433":               {{"8.8.8.8"}},
			"127.1":                    {{"8.8.8.8"}},
			"017700000001":             {{"8.8.8.8"}},
		}},
	}
	for _, good := range []string{
		"https://ok.example/cb?x=1", "https://ok.example:8443/", "https://ok.example./", "http://ok.example/",
		"https://8.8.8.8:2000/", "https://[2606:4700:4700::1111]/",
	} {
		if err := g.CheckURL(ctx, good, "the callback address"); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	bad := []string{
		"",
		"ok.example",
		"/cb",
		"//ok.example/",
		"http://0x7f.1/",
		"http://2130706433/",
		"http://017700000001/",
		"http://127.1/",
		"HTTP://LOCALHOST./",
		"http://LOCALHOST./",
		"http://[::ffff:7f00:1]/",
		"http://[::1%25lo]/",
		"http://a@b@127.0.0.1/",
		"http://①②⑦.0.0.1/",
		"hTTp://ok.example/",
		"file:///etc/passwd",
		"gopher://ok.example/",
		"ldap://ok.example/",
		"https://ok.example/\tx",
		"https://ok.example/\n",
		" https://ok.example/",
		"https://" + strings.Repeat("a", 3<<10) + "/",
		"http://metadata.google.internal/",
		"https://user:pw@ok.example/",
		"https://ok.example/#part",
		"https://ok.example:22/",
		"https://ok.example:0/",
		"https://ok.example:99999/",
		"https://ok.example:/",
		"https:///x",
		"https://ok.example\\@127.0.0.1/",
		"https://unknown.example/",
		"https://127.0.0.1/",
		"https:ok.example",
		"https://exämple.de/",
	}
	for _, raw := range bad {
		err := g.CheckURL(ctx, raw, "the callback address")
		if !fault.IsCode(err, "destination_not_allowed") || !fault.Is(err, fault.Invalid) {
			t.Errorf("%.60q: %v; want destination_not_allowed", raw, err)
		}
	}
	if err := (&outbound.Guard{Resolver: g.Resolver}).CheckURL(ctx, "http://ok.example/", "it"); err == nil {
		t.Error("http is allowed without the operator's word")
	}
}

func TestTheClientFollowsNothingAndReadsNoMoreThanItsLimit(t *testing.T) {
	var inner atomic.Int64
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/inner", http.StatusTemporaryRedirect)
		case "/inner":
			inner.Add(1)
		case "/endless":
			for chunk := make([]byte, 64<<10); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		case "/exact":
			_, _ = w.Write(make([]byte, 1<<20))
		}
	}))
	defer target.Close()
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:9")
	g := &outbound.Guard{AllowCIDRs: cidrs(t, "127.0.0.1")}
	client := g.Client(5 * time.Second)
	resp, err := client.Get(target.URL + "/redirect")
	if err != nil || resp.StatusCode != http.StatusTemporaryRedirect || inner.Load() != 0 {
		t.Errorf("redirect: %v, %v, %d visits behind it", resp, err, inner.Load())
	}
	for path, want := range map[string]error{"/endless": outbound.ErrAnswerTooLarge, "/exact": nil} {
		resp, err := client.Get(target.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if n != 1<<20 || !errors.Is(err, want) {
			t.Errorf("%s: read %d bytes, %v; want 1 MiB and %v", path, n, err, want)
		}
	}
	if _, err := (&outbound.Guard{}).Client(time.Second).Get(target.URL); err == nil {
		t.Error("a client without opened ranges reached this machine")
	}
}

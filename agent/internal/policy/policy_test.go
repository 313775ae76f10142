package policy

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestSpecialAddressesAreRefusedUnlessAllowed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		allow, host, at string
		ok              bool
	}{
		{"", "10.1.2.3", "10.1.2.3:389", true},
		{"", "192.168.1.1", "192.168.1.1:389", true},
		{"", "fd12::1", "[fd12::1]:389", true},
		{"", "dc.example.org", "203.0.113.7:636", true},
		{"", "127.0.0.1", "127.0.0.1:389", false},
		{"", "127.9.9.9", "127.9.9.9:389", false},
		{"", "0.0.0.0", "0.0.0.0:389", false},
		{"", "::1", "[::1]:389", false},
		{"", "::", "[::]:389", false},
		{"", "::ffff:127.0.0.1", "[::ffff:127.0.0.1]:389", false},
		{"", "64:ff9b::7f00:1", "[64:ff9b::7f00:1]:389", false},
		{"", "64:ff9b::cb00:7107", "[64:ff9b::cb00:7107]:389", true},
		{"", "2002:a9fe:a9fe::1", "[2002:a9fe:a9fe::1]:80", false},
		{"", "::127.0.0.1", "[::7f00:1]:80", false},
		{"", "metadata", "169.254.169.254:80", false},
		{"", "x", "169.254.3.4:80", false},
		{"", "x", "[fe80::1]:80", false},
		{"", "x", "[fe80::1%eth0]:80", false},
		{"", "x", "[fd00:ec2::254]:80", false},
		{"", "x", "100.100.100.200:80", false},
		{"", "x", "168.63.129.16:80", false},
		{"", "x", "224.0.0.1:80", false},
		{"127.0.0.0/8", "localhost", "127.0.0.1:389", true},
		{"127.0.0.0/8", "localhost", "[::1]:389", false},
		{"127.0.0.0/8,::1", "localhost", "[::1]:389", true},
		{"127.0.0.1:389", "localhost", "127.0.0.1:389", true},
		{"127.0.0.1:389", "localhost", "127.0.0.1:5432", false},
		{"127.0.0.1:389", "localhost", "127.0.0.2:389", false},
		{"localhost", "LocalHost.", "127.0.0.1:9", true},
		{"localhost", "127.0.0.1", "127.0.0.1:9", false},
		{"localhost:8080", "localhost", "127.0.0.1:9", false},
		{"[::1]:636", "::1", "[::1]:636", true},
		{"169.254.10.0/24", "x", "169.254.10.9:1", true},
		{"169.254.10.0/24", "x", "169.254.169.254:1", false},
	} {
		p, err := Parse(tt.allow)
		if err != nil {
			t.Fatal(err)
		}
		err = p.Check(tt.host, netip.MustParseAddrPort(tt.at))
		if (err == nil) != tt.ok {
			t.Errorf("allow %q: Check(%s, %s) = %v; want allowed %v", tt.allow, tt.host, tt.at, err, tt.ok)
		}
		var d *v1.ErrorDetail
		if err != nil && (!errors.As(err, &d) || d.Class != v1.ClassPolicy || d.Code != Code ||
			!strings.Contains(d.Hint, Env) || !strings.Contains(d.Hint, "allow_targets")) {
			t.Errorf("%s: %+v; want the class policy and the setting named", tt.at, err)
		}
	}
}

func TestWhatCannotBeAllowedIsSaid(t *testing.T) {
	t.Parallel()
	for _, entry := range []string{"127.0.0.1:0", "127.0.0.1:x", "127.0.0.0/40", "http://x", "*", "a b"} {
		if _, err := Parse(entry); err == nil || !strings.Contains(err.Error(), "allow_targets") {
			t.Errorf("Parse(%q) = %v; want an error that names the setting", entry, err)
		}
	}
	p, err := Parse(" 127.0.0.1:389 , ,localhost", "::1")
	if got := strings.Join(p.Allowed(), " "); err != nil || got != "127.0.0.1:389 localhost ::1" {
		t.Errorf("Allowed = %q (%v)", got, err)
	}
}

func TestNothingIsSentToARefusedAddress(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	came := make(chan struct{}, 9)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			came <- struct{}{}
			_ = conn.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0"} {
		_, err := Policy{}.Dial(net.Dialer{})(context.Background(), "tcp", net.JoinHostPort(host, port))
		var d *v1.ErrorDetail
		if !errors.As(err, &d) || d.Class != v1.ClassPolicy {
			t.Errorf("dial %s = %v; want a refusal by policy", host, err)
		}
	}
	if len(came) > 0 {
		t.Error("a refused address was connected to")
	}
	allowed, err := Parse("127.0.0.1:" + port)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := allowed.Dial(net.Dialer{})(context.Background(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	<-came
}

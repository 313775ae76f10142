package apitoken

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// pointers are where a fault says that something is wrong; "none" without one.
func pointers(err error) string {
	var f *fault.Fault
	if !errors.As(err, &f) {
		return "none"
	}
	var all []string
	for _, field := range f.Fields {
		all = append(all, field.Pointer)
	}
	return strings.Join(all, " ")
}

func ask(change func(*NewToken)) NewToken {
	n := NewToken{Name: "export", Role: viewer.Admin, Scopes: []string{"identities:read"}}
	change(&n)
	return n
}

func TestWhatIsAskedForIsWithinBounds(t *testing.T) {
	at := func(d time.Duration) *time.Time { end := now.Add(d); return &end }
	for _, tt := range []struct {
		name string
		ask  func(*NewToken)
		want string
	}{
		{"the usual", func(*NewToken) {}, "none"},
		{"a wildcard", func(n *NewToken) { n.Scopes = []string{"identities:read", "*", "identities:*"} },
			"#/scopes/1 #/scopes/2"},
		{"writing to the audit log", func(n *NewToken) { n.Scopes = []string{"audit-events:write"} }, "#/scopes/0"},
		{"the control plane", func(n *NewToken) { n.Scopes = []string{"control-plane:read"} }, "#/scopes/0"},
		{"a manager nobody is", func(n *NewToken) { n.Role = viewer.Manager }, "#/bound_identity_id"},
		{"an owner nobody is", func(n *NewToken) { n.Role = viewer.ResourceOwner }, "#/bound_identity_id"},
		{"an end in the past", func(n *NewToken) { n.ExpiresAt = at(-time.Second) }, "#/expires_at"},
		{"an end within the year", func(n *NewToken) { n.ExpiresAt = at(365 * day) }, "none"},
		{"an end after a year", func(n *NewToken) { n.ExpiresAt = at(365*day + time.Hour) }, "#/expires_at"},
		{"a network that is none", func(n *NewToken) { n.AllowedCIDRs = []string{"10.0.0.0/8", "10.0.0.0/33"} },
			"#/allowed_cidrs/1"},
		{"a network in disguise", func(n *NewToken) { n.AllowedCIDRs = []string{"::ffff:10.0.0.0/104"} },
			"#/allowed_cidrs/0"},
		{"idle for too short", func(n *NewToken) { n.IdleDisableAfter = "PT59M" }, "#/idle_disable_after"},
		{"idle for a month", func(n *NewToken) { n.IdleDisableAfter = "P1M" }, "#/idle_disable_after"},
		{"a name of spaces", func(n *NewToken) { n.Name = "  " }, "#/name"},
	} {
		_, err := ask(tt.ask).granted(now, now.Add(longestLife))
		if got := pointers(err); got != tt.want {
			t.Errorf("%s: wrong at %q; want %q (%v)", tt.name, got, tt.want, err)
		}
	}
}

func TestWhatIsNotAskedForIsUsual(t *testing.T) {
	g, err := ask(func(n *NewToken) {
		n.Scopes = []string{"users:read", "identities:read", "users:read"}
		n.AllowedCIDRs = []string{"2001:db8::1/48", "203.0.113.77/24", "198.51.100.7"}
		n.RateLimit = &TokenRate{RPS: 250}
	}).granted(now, now.Add(longestLife))
	if err != nil {
		t.Fatal(err)
	}
	want := grant{
		Settings: Settings{
			Name:             "export",
			AllowedCIDRs:     []string{"198.51.100.7/32", "2001:db8::/48", "203.0.113.0/24"},
			RateLimit:        &TokenRate{RPS: 250, Burst: 500},
			IdleDisableAfter: "P60D",
			Enabled:          true,
		},
		idle:    60 * day,
		scopes:  []string{"identities:read", "users:read"},
		role:    viewer.Admin,
		expires: now.Add(90 * day),
	}
	if diff := cmp.Diff(want, g, cmp.AllowUnexported(grant{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestATokenMakesNoneThatCouldDoMore(t *testing.T) {
	maker := Token{
		Role:      viewer.Admin,
		Scopes:    []string{"identities:read", "tokens:write"},
		ExpiresAt: now.Add(10 * day),
		Settings:  Settings{AllowedCIDRs: []string{"10.0.0.0/8"}},
	}
	inside := func(change func(*NewToken)) NewToken {
		return ask(func(n *NewToken) { n.AllowedCIDRs = []string{"10.1.0.0/16"}; change(n) })
	}
	for _, tt := range []struct {
		name string
		n    NewToken
		want string
	}{
		{"less", inside(func(*NewToken) {}), "none"},
		{"an auditor's", inside(func(n *NewToken) { n.Role = viewer.Auditor }), "none"},
		{"another scope", inside(func(n *NewToken) { n.Scopes = []string{"identities:read", "identities:write"} }),
			"#/scopes/1"},
		{"a later end", inside(func(n *NewToken) { end := now.Add(11 * day); n.ExpiresAt = &end }), "#/expires_at"},
		{"another network", inside(func(n *NewToken) { n.AllowedCIDRs = []string{"10.1.0.0/16", "11.0.0.0/8"} }),
			"#/allowed_cidrs"},
		{"a wider network", inside(func(n *NewToken) { n.AllowedCIDRs = []string{"10.0.0.0/7"} }), "#/allowed_cidrs"},
		{"every network", inside(func(n *NewToken) { n.AllowedCIDRs = nil }), "#/allowed_cidrs"},
		{"a rate", inside(func(n *NewToken) { n.RateLimit = &TokenRate{RPS: 1} }), "#/rate_limit"},
	} {
		g, err := tt.n.granted(now, maker.end())
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := pointers(exceeds(maker, g)); got != tt.want {
			t.Errorf("%s: exceeds at %q; want %q", tt.name, got, tt.want)
		}
	}
	until := now.Add(time.Hour)
	maker.OverlapUntil = &until
	g, err := inside(func(*NewToken) {}).granted(now, maker.end())
	if err != nil || !g.expires.Equal(until) {
		t.Errorf("what a rotated token makes ends at %v, %v; want with its maker at %v", g.expires, err, until)
	}
	maker.Role = viewer.Auditor
	if got := pointers(exceeds(maker, g)); got != "#/role" {
		t.Errorf("an auditor's token makes an admin's: exceeds at %q; want #/role", got)
	}
}

func TestDurationsComeBackAsTheyWereMeant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(3600, 365*24*3600).Draw(t, "seconds")) * time.Second
		got, err := durationOf("x", span.Format(d), 0, time.Hour, longestIdle)
		if err != nil || got != d {
			t.Fatalf("%s is read as %v, %v; want %v", span.Format(d), got, err, d)
		}
	})
	for text, want := range map[string]time.Duration{"P1W": 7 * day, "P1DT2H3M4S": 26*time.Hour + 3*time.Minute +
		4*time.Second, "PT36H": 36 * time.Hour} {
		if got, err := durationOf("x", text, 0, 0, longestIdle); err != nil || got != want {
			t.Errorf("%s is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"P", "PT", "1D", "P1Y", "-P1D", "P1.5D", "P1W2D", "P366D", "p1d"} {
		if got, err := durationOf("x", text, 0, 0, longestIdle); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

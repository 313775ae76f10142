package ldap_test

import (
	"context"
	"fmt"
	"net"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// agentEnv is the world as an agent lends it: a plain dialer, and plaintext with a warning.
func agentEnv() connectorkit.Env {
	return connectorkit.Env{
		Dial:             (&net.Dialer{}).DialContext,
		Plaintext:        func(context.Context, string) (bool, error) { return true, nil },
		AllowInsecureTLS: true,
		By:               v1.ExecutedBy{Mode: "agent", AgentID: "agt_1", Hostname: "srv7"},
	}
}

// large is the directory of the benchmarks.
var large = ldaptest.Options{Users: 50_000, Groups: 500, PerGroup: 200, Syncprov: true}

// BenchmarkFullRead reads 50,000 people and 500 groups with 100,000 memberships: divided by place, and in one
// piece, as it is below a base that has no places.
func BenchmarkFullRead(b *testing.B) {
	s := ldaptest.StartSlapd(b, large)
	for name, settings := range map[string]map[string]any{
		"divided": {},
		"whole":   {"user_base_dn": ldaptest.PeopleDN, "group_base_dn": ldaptest.GroupsDN, "change_mode": "none"},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, n := benchRead(b, with(s, settings), false, v1.SyncOptions{}); n != 50_000*2+500+100_000 {
					b.Fatalf("%d records", n)
				}
			}
		})
	}
}

// BenchmarkIncremental reads 100 changes among 50,000 people.
func BenchmarkIncremental(b *testing.B) {
	s := ldaptest.StartSlapd(b, large)
	auth := with(s, nil)
	cursor, _ := benchRead(b, auth, false, v1.SyncOptions{})
	conn, err := goldap.DialURL(s.URL)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Bind(s.AdminDN, s.AdminPass); err != nil {
		b.Fatal(err)
	}
	round := 0
	for b.Loop() {
		b.StopTimer()
		round++
		for i := range 100 {
			if err := modify(fmt.Sprintf("uid=u%07d,ou=people", i*400), func(m *goldap.ModifyRequest) {
				m.Replace("description", []string{fmt.Sprint(round)})
			})(conn); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		var n int
		if cursor, n = benchRead(b, auth, true, v1.SyncOptions{Cursor: cursor}); n != 200 {
			b.Fatalf("%d records", n)
		}
	}
}

// benchRead reads and gives the cursor and the number of records, tombstones apart.
func benchRead(b *testing.B, auth v1.AuthConfig, incremental bool, o v1.SyncOptions) (cursor string, records int) {
	b.Helper()
	err := ldap.New(agentEnv()).Sync(context.Background(), v1.SyncRequest{
		AuthConfig: auth, Incremental: incremental, Options: &o,
	}, func(_ context.Context, p v1.SyncResponse) error {
		records += p.Len() - tombstones(p)
		cursor = p.Page.Cursor
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return cursor, records
}

func BenchmarkNormalizeDN(b *testing.B) {
	for b.Loop() {
		ldapdn.Normalize("CN=Anna Andersson,OU=People, DC=Example,DC=Com")
	}
}

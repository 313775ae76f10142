package ldap_test

import (
	"context"
	"net"
	"testing"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap"
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

// BenchmarkFullRead reads 50,000 people and 500 groups with 100,000 memberships.
func BenchmarkFullRead(b *testing.B) {
	s := ldaptest.StartSlapd(b, ldaptest.Options{Users: 50_000, Groups: 500, PerGroup: 200})
	c := ldap.New(agentEnv())
	b.ReportAllocs()
	for b.Loop() {
		records := 0
		err := c.Sync(context.Background(), v1.SyncRequest{AuthConfig: s.AuthConfig()}, func(_ context.Context, page v1.SyncResponse) error {
			records += page.Len()
			return nil
		})
		if err != nil || records != 50_000*2+500+100_000 {
			b.Fatalf("%d records, %v", records, err)
		}
	}
}

func BenchmarkNormalizeDN(b *testing.B) {
	for b.Loop() {
		ldap.NormalizeDN("CN=Anna Andersson,OU=People, DC=Example,DC=Com")
	}
}

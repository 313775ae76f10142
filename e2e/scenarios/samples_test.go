package scenarios

import (
	"context"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/rig"
	"github.com/grantwright/grantwright/e2e/targets/hrrest"
	"github.com/grantwright/grantwright/e2e/targets/ldapdir"
	"github.com/grantwright/grantwright/e2e/targets/people"
	"github.com/grantwright/grantwright/e2e/targets/scimsvc"
)

// Secrets of the sample systems. Should one of them stand anywhere but in a request to its system, it is found.
const (
	ldapSecret = "canary-ldap-7f3b1c9e5d"
	scimSecret = "canary-scim-2a8d6e4f10"
	restSecret = "canary-rest-b59c0e7a36"
)

// samples are the three target systems inside the test, so that it can make them misbehave.
type samples struct {
	company people.Company
	ldap    *ldapdir.Server
	scim    *scimsvc.Server
	hr      *hrrest.Server
	state   rig.State
}

// serve starts the three systems with so many people. page is the largest page of the HR system; 0: its own.
func serve(t *testing.T, n, page int) *samples {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	s := &samples{company: people.NewCompany(7, n)}
	var err error
	fail := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s.ldap, err = ldapdir.Start(ctx, ldapdir.Config{System: s.company.Directory, Password: ldapSecret})
	fail(err)
	s.scim, err = scimsvc.Start(
		ctx,
		scimsvc.Config{System: s.company.SaaS, Domain: s.company.Domain, Token: scimSecret},
	)
	fail(err)
	s.hr, err = hrrest.Start(ctx, hrrest.Config{Company: s.company, Key: restSecret, MaxPage: page})
	fail(err)
	s.state.LDAP.Addr, s.state.LDAP.BaseDN, s.state.LDAP.BindDN, s.state.LDAP.BindPassword = s.ldap.Addr(),
		s.ldap.BaseDN(), s.ldap.ReaderDN(), ldapSecret
	s.state.SCIM.BaseURL, s.state.SCIM.Token = s.scim.BaseURL(), scimSecret
	s.state.REST.BaseURL, s.state.REST.Header, s.state.REST.APIKey = s.hr.BaseURL(), hrrest.KeyHeader, restSecret
	return s
}

// open is a house with the samples beside it.
func open(t *testing.T, n, page int, flags ...string) (*harness.House, *samples) {
	t.Helper()
	return harness.Open(t, flags...), serve(t, n, page)
}

// pause is how long to wait between two looks at a run.
const pause = 50 * time.Millisecond

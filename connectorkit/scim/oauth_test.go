package scim

import (
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestScimmyBehindOAuth2IsRead(t *testing.T) {
	idp := targettest.StartOIDC(t, time.Minute)
	addr := targettest.StartNode(t, "testdata/scimmy", "JWKS_URL="+idp.JWKSURL, "USERS=30", "GROUPS=1")
	auth := v1.AuthConfig{
		"base_url":      "http://" + addr + "/scim/v2",
		"token_url":     idp.TokenURL,
		"client_id":     idp.BasicClient,
		"client_secret": idp.ClientSecret,
		"scope":         idp.Scope,
	}
	test, discovered, syncErr, text := everything(t, auth)
	if !test.Success || !discovered.Success || syncErr != nil {
		t.Fatalf("test %+v, discovery %+v, sync %v", test.Error, discovered.Error, syncErr)
	}
	if s := test.Steps[2]; s.Name != "token" || !s.OK || !strings.Contains(s.Detail, "1m0s") {
		t.Errorf("token step = %+v", s)
	}
	if strings.Contains(text, idp.ClientSecret) || strings.Contains(text, "eyJ") {
		t.Error("the secret or the token is told")
	}

	auth["client_secret"] = "wrong-" + canary
	test, _, syncErr, text = everything(t, auth)
	last := test.Steps[len(test.Steps)-1]
	if test.Success || last.Name != "token" || last.HTTP.Status != 401 || last.HTTP.OAuthError != "invalid_client" {
		t.Errorf("wrong secret: last step %+v", last)
	}
	for _, d := range []*v1.ErrorDetail{test.Error, detail(t, syncErr)} {
		if d.Class != v1.ClassAuth || d.Code != "oauth_invalid_client" || d.Phase != "token" ||
			!strings.Contains(d.Message, "client authentication failed") {
			t.Errorf("wrong secret: %+v", d)
		}
	}
	if strings.Contains(text, canary) {
		t.Error("the wrong secret is told")
	}
}

func TestATokenThatExpiredUnnoticedIsRenewed(t *testing.T) {
	idp := targettest.StartOIDC(t, time.Second)
	addr := targettest.StartNode(t, "testdata/scimmy", "JWKS_URL="+idp.JWKSURL, "USERS=30")
	k := connector()
	began := time.Now()
	// by this clock no token ever expires, so that only the target's 401 tells
	k.env.Now = func() time.Time { return began }
	auth := v1.AuthConfig{
		"base_url":         "http://" + addr + "/scim/v2",
		"token_url":        idp.TokenURL,
		"client_id":        idp.PostClient,
		"client_secret":    idp.ClientSecret,
		"token_auth_style": "client_secret_post",
		"scope":            idp.Scope,
		"count":            10,
	}
	if first, err := sync_(t, k, auth, nil); err != nil || first.last.Scopes[0].Count != 30 {
		t.Fatalf("first read: %v, %s", err, first.complete())
	}
	time.Sleep(1200 * time.Millisecond)
	got, err := sync_(t, k, auth, nil)
	if err != nil || got.complete() != "identities true 30, accounts true 30, entitlements true 1, grants true 6" {
		t.Errorf("second read with the old token: %v, %s", err, got.complete())
	}
	// declaration, its second try, three pages of users, groups; more where the new token ends as well
	if got.last.Stats.APICalls < 7 {
		t.Errorf(
			"%d requests, want at least 7: one refused, one for the token, five for the rest",
			got.last.Stats.APICalls,
		)
	}
}

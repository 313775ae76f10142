package connectors_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/connectorkit/connectors"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestOpenRefusesUnknownTypes(t *testing.T) {
	_, err := connectors.Open(connectorkit.Env{}, "punch-cards")
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Class != v1.ClassConfig {
		t.Errorf("Open = %v, want an error of class config", err)
	}
}

func TestConnectorsTakeSettingsUnderAllTheirNames(t *testing.T) {
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t0ken" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(
			`{"items":[{"id":1}],"Resources":[],"schemas":["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"]}`,
		))
	}))
	defer target.Close()
	env := connectorkit.Env{Dial: (&net.Dialer{}).DialContext, Plaintext: func(context.Context, string) (bool, error) {
		return false, nil
	}}
	for _, connectorType := range []string{catalog.REST, catalog.SCIM2} {
		c, err := connectors.Open(env, connectorType)
		if err != nil {
			t.Fatal(err)
		}
		auth := v1.AuthConfig{"base_url": target.URL, "auth_method": "bearer", "token": "t0ken"}
		out, err := c.Test(context.Background(), v1.TestRequest{AuthConfig: auth}, nil)
		if err != nil || !out.Success {
			t.Errorf("%s: test = %+v, %v", connectorType, out.Error, err)
		}
		if _, changed := auth["bearer_token"]; changed {
			t.Errorf("%s changed the settings of its caller", connectorType)
		}
	}
}

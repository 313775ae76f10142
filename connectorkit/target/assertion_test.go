package target_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target"
	"github.com/grantwright/grantwright/connectorkit/target/httpfields"
)

func pemOf(t *testing.T, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func TestAServiceAccountProvesItselfBySigning(t *testing.T) {
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		private string
		public  any
	}{
		"RSA":             {pemOf(t, rsaKey), rsaKey.Public()},
		"RSA on one line": {strings.ReplaceAll(pemOf(t, rsaKey), "\n", `\n`), rsaKey.Public()},
		"EC":              {pemOf(t, ecKey), ecKey.Public()},
	} {
		t.Run(name, func(t *testing.T) {
			var server *httptest.Server
			server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/token" {
					if r.Header.Get("Authorization") != "Bearer fetched" {
						w.WriteHeader(http.StatusUnauthorized)
					}
					_, _ = w.Write([]byte("{}"))
					return
				}
				claims := jwt.MapClaims{}
				_, err := jwt.ParseWithClaims(r.FormValue("assertion"), claims,
					func(*jwt.Token) (any, error) { return tt.public, nil },
					jwt.WithAudience(server.URL+"/token"), jwt.WithIssuer("reader@project"),
					jwt.WithSubject("admin@example.com"), jwt.WithExpirationRequired())
				if err != nil || claims["scope"] != "read" ||
					r.FormValue("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
					t.Errorf("assertion with %v: %v", claims, err)
				}
				_, _ = w.Write([]byte(`{"access_token":"fetched","token_type":"Bearer","expires_in":3600}`))
			}))
			t.Cleanup(server.Close)
			s := connectorkit.Read(map[string]any{
				"auth_method":     httpfields.AuthJWTBearer,
				"token_url":       server.URL + "/token",
				"jwt_issuer":      "reader@project",
				"jwt_subject":     "admin@example.com",
				"jwt_private_key": tt.private,
				"scope":           "read",
			})
			auth := target.ReadAuth(s, httpfields.AuthJWTBearer)
			if err := s.Err(); err != nil {
				t.Fatal(err)
			}
			if err := get(t, client(t, target.Options{BaseURL: server.URL, Auth: auth})); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAKeyThatCannotSignIsRefusedWithoutBeingShown(t *testing.T) {
	s := connectorkit.Read(map[string]any{
		"auth_method": httpfields.AuthJWTBearer, "token_url": "https://x.example.com/token", "jwt_issuer": "a",
		"jwt_private_key": "MIICANARY",
	})
	target.ReadAuth(s, httpfields.AuthJWTBearer)
	if err := s.Err(); err == nil || strings.Contains(err.Error(), "CANARY") ||
		!strings.Contains(err.Error(), "jwt_private_key") {
		t.Errorf("err = %v", err)
	}
}

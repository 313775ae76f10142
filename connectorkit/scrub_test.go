package connectorkit_test

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestPartsOfAHeaderAreMaskedInEveryForm(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte("svc:CANARY p@ss/1"))
	for value, secret := range map[string]string{
		"Bearer CANARY+4/711":                        "CANARY+4/711",
		"bearer  CANARY+4/711":                       "CANARY+4/711",
		"Token CAN1":                                 "CAN1",
		"Token token=\"CANARY+4/711\", user=anybody": "CANARY+4/711",
		"session=CANARY+4/711; theme=dark":           "CANARY+4/711",
		"Basic " + basic:                             "CANARY p@ss/1",
		"SSWS CANARY+4/711":                          "CANARY+4/711",
		"CANARY+4/711":                               "CANARY+4/711",
	} {
		fields := []connectorkit.Field{{Key: "extra_headers", Secret: true}}
		for name, scrub := range map[string]*connectorkit.Scrubber{
			"alone": connectorkit.NewScrubber(value),
			"field": connectorkit.ScrubberFor(v1.AuthConfig{"extra_headers": map[string]any{"Authorization": value}},
				fields),
		} {
			for _, form := range []string{
				secret, url.QueryEscape(secret), url.PathEscape(secret),
				base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
			} {
				if got := scrub.Clean("it said <" + form + "> to me"); got != "it said <[secret]> to me" {
					t.Errorf("%s: with the header %q, %q is left as %q", name, value, form, got)
				}
			}
		}
	}
}

func TestMaskingPartsLeavesOrdinaryWords(t *testing.T) {
	scrub := connectorkit.NewScrubber(
		"Bearer CANARY-4711",
		"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
	)
	const text = "Bearer authentication is needed; -----BEGIN CERTIFICATE-----"
	if got := scrub.Clean(text); got != text {
		t.Errorf("%q became %q", text, got)
	}
	if got := scrub.Clean("Authorization: Bearer CANARY-4711"); strings.Contains(got, "CANARY") {
		t.Errorf("%q", got)
	}
}

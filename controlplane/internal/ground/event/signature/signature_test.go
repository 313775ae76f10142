package signature_test

import (
	"net/http"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event/signature"
)

func signed(t testing.TB, id string, at time.Time, body string, secrets ...string) http.Header {
	t.Helper()
	var keys [][]byte
	for _, s := range secrets {
		key, err := signature.Key(s)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	h := http.Header{}
	if err := signature.Set(h, id, at, []byte(body), keys...); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestPublishedVectorsAreMet(t *testing.T) {
	tests := []struct {
		id, body, want string
		at             int64
		secrets        []string
	}{
		{
			"msg_p5jXN8AQM9LWM0D4loKWxJek", `{"test": 2432232314}`, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
			1614265330, []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
		},
		{
			"evt_01J9ZQ3V7W8X9Y0Z1A2B3C4D5E",
			`{"id":"evt_01J9ZQ3V7W8X9Y0Z1A2B3C4D5E","type":"identity.created","timestamp":"2026-01-02T03:04:05.678Z",` +
				`"data":{"id":"idn_01"}}`,
			"v1,KSkErOav/AoXwOLMZ3fljOYA7kDEPFH6Yjg7B59NHIU= v1,QY/7b2vcCcwL992jdD2DtZv4LT/DOkoPUZNe6TI/S2U=",
			1767323045,
			[]string{
				"whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=",
				"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
			},
		},
	}
	for _, tt := range tests {
		h := signed(t, tt.id, time.Unix(tt.at, 999), tt.body, tt.secrets...)
		if got := h.Get("webhook-signature"); got != tt.want {
			t.Errorf("signature of %s = %q; want %q", tt.id, got, tt.want)
		}
	}
}

func TestTheReferenceLibraryVerifiesWhatIsSignedWithAnyOfTheKeys(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		body := rapid.String().Draw(r, "body")
		id := rapid.StringMatching(`[A-Za-z0-9_-]{1,40}`).Draw(r, "id")
		secrets := []string{signature.Secret(signature.NewKey()), signature.Secret(signature.NewKey())}
		h := signed(t, id, time.Now(), body, secrets...)
		for _, s := range secrets {
			receiver, err := standardwebhooks.NewWebhook(s)
			if err != nil {
				r.Fatal(err)
			}
			if err := receiver.Verify([]byte(body), h); err != nil {
				r.Fatalf("refused: %v", err)
			}
			if err := receiver.Verify([]byte(body+" "), h); err == nil {
				r.Fatal("a changed body was accepted")
			}
		}
		stranger, err := standardwebhooks.NewWebhook(signature.Secret(signature.NewKey()))
		if err != nil {
			r.Fatal(err)
		}
		if stranger.Verify([]byte(body), h) == nil {
			r.Fatal("another key was accepted")
		}
	})
}

func TestAnIDWithADotAndOddSecretsAreRefused(t *testing.T) {
	if err := signature.Set(http.Header{}, "a.b", time.Now(), nil, signature.NewKey()); err == nil {
		t.Error("an id with a dot was signed")
	}
	for _, s := range []string{"", "whsec_", "whsec_AAAA", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
		"whsec_!!!"} {
		if _, err := signature.Key(s); err == nil {
			t.Errorf("the secret %q was accepted", s)
		}
	}
}

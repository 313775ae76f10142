package signing

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestTheExampleOfStandardWebhooks is the one of the specification's reference libraries.
func TestTheExampleOfStandardWebhooks(t *testing.T) {
	key, err := Key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	h, body, at := http.Header{}, []byte(`{"test": 2432232314}`), time.Unix(1614265330, 0)
	set(h, "msg_p5jXN8AQM9LWM0D4loKWxJek", at, body, key)
	if got, want := h.Get("webhook-signature"), "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("signature %q; want %q", got, want)
	}
	if err := Verify(h, at, body, key); err != nil {
		t.Error(err)
	}
}

func TestWhatWasNotSignedIsRefused(t *testing.T) {
	now, body := time.Now(), []byte(`{"a":1}`)
	key, other := []byte(strings.Repeat("k", 32)), []byte(strings.Repeat("o", 32))
	signed := func() http.Header {
		h := http.Header{}
		Sign(h, now, body, key)
		return h
	}
	for name, tt := range map[string]struct {
		spoil func(http.Header)
		body  string
		now   time.Time
		key   []byte
		ok    bool
	}{
		"as it is": {func(http.Header) {}, `{"a":1}`, now, key, true},
		"several signatures": {func(h http.Header) { h.Set(headerSignature, "v1,AAAA "+h.Get(headerSignature)) },
			`{"a":1}`, now, key, true},
		"another body": {func(http.Header) {}, `{"a":2}`, now, key, false},
		"another key":  {func(http.Header) {}, `{"a":1}`, now, other, false},
		"another id":   {func(h http.Header) { h.Set(headerID, "msg_other") }, `{"a":1}`, now, key, false},
		"no headers":   {func(h http.Header) { clear(h) }, `{"a":1}`, now, key, false},
		"too late":     {func(http.Header) {}, `{"a":1}`, now.Add(6 * time.Minute), key, false},
		"too early":    {func(http.Header) {}, `{"a":1}`, now.Add(-6 * time.Minute), key, false},
		"a later time forged": {func(h http.Header) { h.Set(headerTimestamp, "9999999999") }, `{"a":1}`,
			time.Unix(9999999999, 0), key, false},
	} {
		h := signed()
		tt.spoil(h)
		if err := Verify(h, tt.now, []byte(tt.body), tt.key); (err == nil) != tt.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if a, b := signed(), signed(); a.Get(headerID) == b.Get(headerID) {
		t.Error("two requests have one id")
	}
}

func TestASecretMustBeLongEnough(t *testing.T) {
	for secret, ok := range map[string]bool{
		"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=": true,
		"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=":       true,
		"": false, "whsec_": false, "whsec_AAAA": false, "hunter22hunter22hunter22!": false,
	} {
		if _, err := Key(secret); (err == nil) != ok ||
			err != nil && secret != "" && len(secret) > 8 && strings.Contains(err.Error(), secret) {
			t.Errorf("%q: %v", secret, err)
		}
	}
}

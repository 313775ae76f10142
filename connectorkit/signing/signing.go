// Package signing signs requests to custom connectors, and lets those check them: Standard Webhooks 1.0.0 with
// symmetric keys.
package signing

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Window is how far the clocks of the two sides may be apart, and so how long a request may be replayed.
const Window = 5 * time.Minute

// The headers of a signed request.
const (
	headerID        = "Webhook-Id"
	headerTimestamp = "Webhook-Timestamp"
	headerSignature = "Webhook-Signature"
)

// Key reads a secret: base64 of 24 to 64 bytes, usually with whsec_ before it. The error does not repeat it.
func Key(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 || len(key) > 64 {
		return nil, errors.New("a signing secret is whsec_ and the base64 of 24 to 64 random bytes")
	}
	return key, nil
}

// Sign adds the three headers to h, with an id of its own for every request that is sent.
func Sign(h http.Header, at time.Time, body, key []byte) {
	id := make([]byte, 16)
	_, _ = rand.Read(id) // never fails: see crypto/rand
	set(h, "msg_"+hex.EncodeToString(id), at, body, key)
}

// set writes the headers of Standard Webhooks: ID, time and signature.
func set(h http.Header, id string, at time.Time, body, key []byte) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	h.Set(headerID, id)
	h.Set(headerTimestamp, stamp)
	h.Set(headerSignature, "v1,"+signature(key, id, stamp, body))
}

// Verify holds a request against its signature. now is the clock of the receiver.
func Verify(h http.Header, now time.Time, body, key []byte) error {
	id, stamp := h.Get(headerID), h.Get(headerTimestamp)
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if id == "" || err != nil {
		return errors.New("webhook-id or webhook-timestamp is missing")
	}
	if apart := now.Sub(time.Unix(seconds, 0)); apart > Window || apart < -Window {
		return errors.New("webhook-timestamp is more than five minutes from now")
	}
	want := []byte("v1," + signature(key, id, stamp, body))
	for _, given := range strings.Fields(h.Get(headerSignature)) {
		if hmac.Equal([]byte(given), want) {
			return nil
		}
	}
	return errors.New("no signature in webhook-signature fits")
}

// signature is the HMAC-SHA256 over ID, time and body, in base64.
func signature(key []byte, id, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Package signature signs what is posted to receivers: Standard Webhooks 1.0.0, with symmetric keys (v1).
package signature

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const prefix = "whsec_"

// NewKey makes a key of 32 bytes.
func NewKey() []byte {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails: see crypto/rand
	return key
}

// Secret is a key as receivers are given it.
func Secret(key []byte) string { return prefix + base64.StdEncoding.EncodeToString(key) }

// Key reads what Secret wrote.
func Key(secret string) ([]byte, error) {
	encoded, found := strings.CutPrefix(secret, prefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !found || err != nil || len(key) < 24 || len(key) > 64 {
		return nil, errors.New("a webhook secret is whsec_ and the base64 of 24 to 64 bytes")
	}
	return key, nil
}

// Set adds the three headers of a message to h. at is the moment of this attempt; id stays the same over all attempts.
// There is one signature for each key, so that a receiver that knows any of them is content.
func Set(h http.Header, id string, at time.Time, body []byte, keys ...[]byte) error {
	if strings.Contains(id, ".") {
		return fmt.Errorf("the id %q holds a dot, which separates what is signed", id)
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]string, len(keys))
	for i, key := range keys {
		signatures[i] = "v1," + sign(key, id, stamp, body)
	}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", stamp)
	h.Set("webhook-signature", strings.Join(signatures, " "))
	return nil
}

func sign(key []byte, id, stamp string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

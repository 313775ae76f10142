// Package totp makes and checks the one-time codes of an authenticator app: RFC 6238 with SHA-1, six digits and steps
// of thirty seconds, which every such app knows.
package totp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"time"
)

const (
	period     = 30 // seconds in a step
	digits     = 6
	modulus    = 1_000_000
	drift      = 1  // steps that a clock may be off, either way
	secretSize = 20 // bytes: the size of SHA-1's output (RFC 4226 section 4)
)

// NewSecret makes a random secret.
func NewSecret() []byte {
	b := make([]byte, secretSize)
	_, _ = rand.Read(b)
	return b
}

// Text is a secret as people type it: base32 without padding.
func Text(secret []byte) string {
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret)
}

// URI is the address that an app reads from a picture, in the form that authenticator apps share:
// otpauth://totp/Issuer:account.
func URI(secret []byte, issuer, account string) string {
	q := fmt.Sprintf(
		"secret=%s&issuer=%s&algorithm=SHA1&digits=%d&period=%d",
		Text(secret),
		url.PathEscape(issuer),
		digits,
		period,
	)
	return "otpauth://totp/" + url.PathEscape(issuer) + ":" + url.PathEscape(account) + "?" + q
}

// Step is the number of the step that a moment lies in.
func Step(at time.Time) int64 { return at.Unix() / period }

// Code is the code of a step (RFC 4226 section 5.3).
func Code(secret []byte, step int64) string {
	var counter [8]byte
	binary.BigEndian.PutUint64(counter[:], uint64(step))
	m := hmac.New(sha1.New, secret)
	m.Write(counter[:])
	sum := m.Sum(nil)
	at := sum[len(sum)-1] & 0xf
	value := binary.BigEndian.Uint32(sum[at:]) & 0x7fffffff
	return fmt.Sprintf("%0*d", digits, value%modulus)
}

// Match finds the step, at most one before or after now and later than last, whose code this is. A code is good once
// when the caller keeps the step as the next last.
func Match(secret []byte, code string, now time.Time, last int64) (step int64, ok bool) {
	for s := Step(now) - drift; s <= Step(now)+drift; s++ {
		same := subtle.ConstantTimeCompare([]byte(Code(secret, s)), []byte(code)) == 1
		if same && s > last && !ok {
			step, ok = s, true
		}
	}
	return step, ok
}

// Looks reports whether a text has the form of a code.
func Looks(text string) bool {
	if len(text) != digits {
		return false
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

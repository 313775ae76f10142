package roles

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/text/secure/precis"
)

// scramIterations is PostgreSQL's own default (scram_iterations).
const scramIterations = 4096

// ScramVerifier is what PostgreSQL stores of a password (RFC 5803 in PostgreSQL's spelling). Sending it in place of
// the password keeps the password out of statements, and so out of logs and pg_stat_activity.
func ScramVerifier(password string) (string, error) {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	return verifierWith(password, salt, scramIterations)
}

func verifierWith(password string, salt []byte, iterations int) (string, error) {
	salted, err := pbkdf2.Key(sha256.New, prepared(password), salt, iterations, sha256.Size)
	if err != nil {
		return "", fmt.Errorf("derive a password verifier: %w", err)
	}
	stored := sha256.Sum256(mac(salted, "Client Key"))
	b64 := base64.StdEncoding.EncodeToString
	return fmt.Sprintf(
		"SCRAM-SHA-256$%d:%s$%s:%s",
		iterations,
		b64(salt),
		b64(stored[:]),
		b64(mac(salted, "Server Key")),
	), nil
}

// prepared normalises a password as PostgreSQL and its clients do; one that cannot be normalised counts as it is.
func prepared(password string) string {
	if p, err := precis.OpaqueString.String(password); err == nil {
		return p
	}
	return password
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// verifies reports whether a stored verifier is one of the password.
func verifies(verifier, password string) bool {
	parts := strings.Split(verifier, "$")
	if len(parts) != 3 || parts[0] != "SCRAM-SHA-256" {
		return false
	}
	count, salt, ok := strings.Cut(parts[1], ":")
	iterations, err := strconv.Atoi(count)
	raw, saltErr := base64.StdEncoding.DecodeString(salt)
	if !ok || err != nil || saltErr != nil || iterations < 1 {
		return false
	}
	again, err := verifierWith(password, raw, iterations)
	return err == nil && subtle.ConstantTimeCompare([]byte(again), []byte(verifier)) == 1
}

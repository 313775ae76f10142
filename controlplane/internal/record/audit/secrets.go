package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

const masked = "[secret]"

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hexOf(s[:])
}

func hexOf(b []byte) string { return hex.EncodeToString(b) }

// secretWords are what names of secrets are made of.
var secretWords = []string{
	"password",
	"passphrase",
	"secret",
	"token",
	"credential",
	"private_key",
	"api_key",
	"apikey",
	"authorization",
}

// harmlessNames speak of a secret without being one.
var harmlessNames = []string{"token_id", "token_ids", "token_type", "token_kind"}

func isSecret(name string) bool {
	lower := strings.ToLower(name)
	if slices.Contains(harmlessNames, lower) || strings.HasSuffix(lower, "_at") {
		return false
	}
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(lower, word) })
}

// secretText finds values that are secrets whatever their field is called: JSON web tokens, webhook secrets, private
// keys.
var secretText = regexp.MustCompile(
	`eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}|` +
		`whsec_[A-Za-z0-9+/=]{16,}|-----BEGIN [A-Z ]*PRIVATE KEY-----`,
)

// cleanse is the last net under callers, and gives the canonical form of an entry: what is a secret by its name or by
// its looks is masked at whatever depth, texts are cut to a length, and numbers that a double cannot hold become texts.
func cleanse(raw []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var event map[string]any
	if err := d.Decode(&event); err != nil {
		return nil, err
	}
	for name, value := range event {
		switch name {
		case "changes":
			event[name] = cleanChanges(value)
		case "context":
			event[name] = clean(value)
		default:
			event[name] = cleanTexts(value)
		}
	}
	return chain.CanonicalValue(event)
}

// cleanChanges masks the values of secret fields, and what is secret inside of others.
func cleanChanges(value any) any {
	changes, _ := value.([]any)
	for _, each := range changes {
		c, ok := each.(map[string]any)
		if !ok {
			continue
		}
		field, _ := c["field"].(string)
		c["field"] = cleanText(field)
		for _, side := range []string{"before", "after"} {
			if isSecret(field) {
				c[side], c["redacted"] = mask(c[side]), true
				continue
			}
			c[side] = clean(c[side])
		}
	}
	return value
}

// mask hides a value. That something is unset, or on or off, is no secret.
func mask(value any) any {
	switch value.(type) {
	case nil, bool:
		return value
	}
	return masked
}

// clean masks members by their names, at any depth.
func clean(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			if isSecret(name) {
				v[name] = mask(inner)
			} else {
				v[name] = clean(inner)
			}
		}
		return v
	case []any:
		for i := range v {
			v[i] = clean(v[i])
		}
		return v
	}
	return cleanTexts(value)
}

// cleanTexts looks at values alone.
func cleanTexts(value any) any {
	switch v := value.(type) {
	case string:
		return cleanText(v)
	case json.Number:
		if !chain.Exact(v) {
			return string(v)
		}
	case map[string]any:
		for name := range v {
			v[name] = cleanTexts(v[name])
		}
	case []any:
		for i := range v {
			v[i] = cleanTexts(v[i])
		}
	}
	return value
}

func cleanText(s string) string {
	if len(s) > maxText {
		cut := maxText
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	if strings.ContainsRune(s, 0) {
		s = strings.ReplaceAll(s, "\x00", "\ufffd") // what PostgreSQL cannot keep
	}
	if strings.Contains(s, "eyJ") || strings.Contains(s, "whsec_") || strings.Contains(s, "-----BEGIN") {
		s = secretText.ReplaceAllString(s, masked)
	}
	return s
}

package replay

import (
	"crypto/sha256"
	"mime"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Header is where the key stands in a request (draft-ietf-httpapi-idempotency-key-header).
const Header = "Idempotency-Key"

// maxKey is the longest value that is looked at: a UUID with room for quotes and braces.
const maxKey = 64

// Key reads the header's values. A key is a UUID, quoted or bare; no value gives an empty key.
func Key(values []string) (string, error) {
	if len(values) == 0 {
		return "", nil
	}
	value := strings.TrimSpace(values[0])
	if inner, ok := strings.CutPrefix(value, `"`); ok && strings.HasSuffix(inner, `"`) {
		value = strings.TrimSuffix(inner, `"`)
	}
	id, err := uuid.Parse(value)
	if len(values) > 1 || len(values[0]) > maxKey || len(value) != 36 || err != nil {
		return "", fault.Coded(fault.Malformed, "invalid_idempotency_key", "%s must be given once and be a UUID",
			Header).
			With(fault.Field{Header: Header, Code: "invalid_idempotency_key", Detail: "give one UUID of your own " +
				"making, the same for each try"})
	}
	return id.String(), nil
}

// Fingerprint tells requests apart: two with the same one ask for the same. Every byte of the body counts, white space
// too.
func Fingerprint(method, path, query, contentType string, body []byte) []byte {
	parameters := strings.Split(query, "&")
	slices.Sort(parameters)
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		media = contentType
	}
	h := sha256.New()
	for _, part := range []string{method, path, strings.Join(parameters, "&"), media} {
		h.Write([]byte(part))
		h.Write([]byte{'\n'})
	}
	h.Write(body)
	return h.Sum(nil)
}

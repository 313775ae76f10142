package cursor

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Sealer makes and opens cursors. A cursor holds the sort key and the ID of a row, and when it expires; it is encrypted
// and authenticated (AES-GCM), together with a scope that is not in it.
type Sealer struct {
	aead cipher.AEAD
	now  func() time.Time
}

// life is how long a cursor can be used.
const life = 24 * time.Hour

// NewSealer takes 32 secret bytes, and the clock by which cursors expire.
func NewSealer(secret []byte, now func() time.Time) (*Sealer, error) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, fmt.Errorf("cursor key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("cursor key: %w", err)
	}
	return &Sealer{aead: aead, now: now}, nil
}

type position struct {
	Expires int64    `json:"e"`
	After   []string `json:"a"`
}

// Seal is the cursor of the position after a row.
func (s *Sealer) Seal(after []string, scope []byte) (string, error) {
	plain, err := json.Marshal(position{Expires: s.now().Add(life).Unix(), After: after})
	if err != nil {
		return "", fmt.Errorf("encode cursor: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, plain, scope)), nil
}

// Open is the position of a cursor that was sealed with the same scope less than a day ago. Anything else is a fault of
// kind Malformed: cursor_expired, or invalid_cursor.
func (s *Sealer) Open(token string, scope []byte) ([]string, error) {
	invalid := fault.Coded(fault.Malformed, "invalid_cursor", "this cursor does not belong to this list, these "+
		"filters and this caller; start again without one").
		With(fault.Field{Parameter: "cursor", Code: "invalid_cursor", Detail: "take next_cursor from the page " +
			"before, unchanged"})
	sealed, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil ||
		base64.RawURLEncoding.EncodeToString(sealed) != token { // one text for one cursor: no line ends, no spare bits
		return nil, invalid
	}
	plain, err := s.aead.Open(nil, nil, sealed, scope)
	if err != nil {
		return nil, invalid
	}
	var pos position
	if json.Unmarshal(plain, &pos) != nil {
		return nil, invalid
	}
	if s.now().Unix() > pos.Expires {
		return nil, fault.Coded(
			fault.Malformed,
			"cursor_expired",
			"this cursor is older than a day; start again without one",
		)
	}
	return pos.After, nil
}

package signing

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// KeySet answers GET /auth/.well-known/jwks.json (RFC 7517).
type KeySet struct {
	// Public keys that verify access tokens.
	Keys []PublicKey `json:"keys" nullable:"false"`
}

// PublicKey is an Ed25519 key (RFC 8037) by which others can verify access tokens of ours.
type PublicKey struct {
	// Key type, always OKP.
	Type string `json:"kty" example:"OKP"`
	// Curve of the key, always Ed25519.
	Curve string `json:"crv" example:"Ed25519"`
	// Use of the key, always sig, for signatures.
	Use string `json:"use" example:"sig"`
	// Signature algorithm of the key, always EdDSA.
	Algorithm string `json:"alg" example:"EdDSA"`
	// ID of the key, as in the header of the tokens.
	ID string `json:"kid"`
	// The key, in base64url.
	X string `json:"x"`
}

// PublicKeys shows the keys of access tokens. Those of refresh tokens and invitations concern us alone.
func (s *Signer) PublicKeys(ctx context.Context, _ viewer.Viewer, _ *struct{}) (*httpapi.One[KeySet], error) {
	if err := s.Keys.Refresh(ctx); err != nil {
		return nil, err
	}
	return &httpapi.One[KeySet]{Body: KeySet{Keys: s.Keys.published()}}, nil
}

// published are the public keys for others to verify with (RFC 7517, RFC 8037), by ID. Keys of
// refresh and enrollment tokens are not among them: only the control plane verifies those.
func (k *Keys) published() []PublicKey {
	k.mu.RLock()
	defer k.mu.RUnlock()
	out := []PublicKey{}
	for id, key := range k.public {
		if id.Audience == ForAPI || id.Audience == ForAgent {
			x := base64.RawURLEncoding.EncodeToString(key)
			out = append(
				out,
				PublicKey{Type: "OKP", Curve: "Ed25519", Use: "sig", Algorithm: "EdDSA", ID: id.ID, X: x},
			)
		}
	}
	slices.SortFunc(out, func(a, b PublicKey) int { return strings.Compare(a.ID, b.ID) })
	return out
}

package syncrun

import (
	"crypto/hmac"
	"crypto/sha256"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event/signature"
)

// CallbackSecret is what a receiver verifies a connector's callbacks with, in the form of Standard Webhooks.
func (s *Service) CallbackSecret(tenant, connector string) string {
	return signature.Secret(s.SigningKey(tenant, connector))
}

// SigningKey is the key with which the callbacks of a connector are signed. It follows from CallbackKey, so that
// nothing need be stored.
func (s *Service) SigningKey(tenant, connector string) []byte {
	mac := hmac.New(sha256.New, s.CallbackKey)
	mac.Write([]byte("callback|" + tenant + "|" + connector))
	return mac.Sum(nil)
}

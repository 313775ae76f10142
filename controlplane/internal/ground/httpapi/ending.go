package httpapi

import (
	"net/http"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// endingSoon is how long before its end a service token is warned of it with every answer.
const endingSoon = 7 * 24 * time.Hour

// announceEnd announces in a header that a new token is due.
func announceEnd(h http.Header, v viewer.Viewer) {
	if !v.Expires.IsZero() && time.Until(v.Expires) < endingSoon {
		h.Set("Token-Expires-At", v.Expires.UTC().Format(time.RFC3339))
	}
}

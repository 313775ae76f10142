package change

import (
	"context"
	"errors"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Change plans and sends the requests of one change.
type Change struct {
	*lookup.Finder
	Req           v1.ProvisionRequest
	Out           v1.ProvisionResponse
	keyConfigured bool // id_attribute was set, and not found
}

// Open opens a session for a change or for reading single records.
func Open(ctx context.Context, env connectorkit.Env, req v1.ProvisionRequest) (*Change, error) {
	s, err := settings.Read(req.AuthConfig, env.AllowInsecureTLS)
	if err != nil {
		return nil, err
	}
	s.Scrubber = NewScrubber(req)
	keyed := s.IdAttribute != ""
	se, err := session.Open(ctx, env, s)
	if err != nil {
		return nil, err
	}
	if err := se.ResolveKeys(ctx); err != nil {
		se.Conn.Close()
		return nil, err
	}
	w := &Change{
		Finder: &lookup.Finder{Reader: entry.NewReader(ctx, se, nil, env.Now())}, Req: req, keyConfigured: keyed,
	}
	w.Out.Warnings = se.Warnings
	if env.By != (v1.ExecutedBy{}) {
		by := env.By
		w.Out.ExecutedBy = &by
	}
	return w, nil
}

// NewScrubber masks new passwords too.
func NewScrubber(req v1.ProvisionRequest, secrets ...string) *connectorkit.Scrubber {
	for _, f := range settings.Fields() {
		if f.Secret {
			secrets = append(secrets, connectorkit.TextsIn(req.AuthConfig[f.Key])...)
		}
	}
	if req.Credential != nil {
		secrets = append(secrets, req.Credential.Password)
	}
	return connectorkit.NewScrubber(secrets...)
}

// warnRefused reports whether a refusal leaves a change useful in part.
func (w *Change) warnRefused(code string, err error) {
	message := err.Error()
	var d *v1.ErrorDetail
	if errors.As(err, &d) && d.Hint != "" {
		message += ". " + d.Hint
	}
	w.Warn(code, message)
}

// Warn adds a warning to the response.
func (w *Change) Warn(code, message string) {
	w.Out.Warnings = append(w.Out.Warnings, v1.Warning{Code: code, Message: message})
}

// Offers reports whether the directory says that it knows a control or an extended operation.
func (w *Change) Offers(oid string) bool {
	return w.Root.Has("supportedControl", oid) || w.Root.Has("supportedExtension", oid)
}

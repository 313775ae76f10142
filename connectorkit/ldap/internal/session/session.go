package session

import (
	"context"
	"errors"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Session is a signed-in connection with what is known of the directory.
type Session struct {
	*settings.Settings
	ldaperr.Explainer
	Conn     *wire.Conn
	Flavor   settings.Flavor
	Root     RootDSE
	Warnings []v1.Warning
}

// SearchError explains a search that failed. A wrong base DN is answered with the right ones.
func (se *Session) SearchError(ctx context.Context, phase string, err error) error {
	err = se.Explain(ctx, phase, err)
	var d *v1.ErrorDetail
	if errors.As(err, &d) && d.Target != nil && d.Target.LDAP != nil {
		switch d.Target.LDAP.ResultCode {
		case goldap.LDAPResultNoSuchObject, goldap.LDAPResultReferral, goldap.LDAPResultInvalidDNSyntax:
			d.Hint += se.contextsHint()
		}
	}
	return err
}

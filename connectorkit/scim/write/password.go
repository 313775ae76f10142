package write

import (
	"context"
	"crypto/rand"

	"github.com/grantwright/grantwright/connectorkit/scim/desired"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// credential is the wish for a password, where one is to be set.
func (c *change) credential() (*desired.Attribute, error) {
	cred := c.req.Credential
	if cred == nil || cred.Mode == "" || cred.Mode == "none" {
		return nil, nil
	}
	password := cred.Password
	switch {
	case cred.Mode == "random":
		password = randomPassword()
	case cred.Mode != "password":
		return nil, resource.InvalidRequest("credential_mode", "a credential is none, random or password", "")
	case password == "":
		return nil, resource.InvalidRequest("password_missing", "the new password is missing", "")
	}
	c.Client.Hide(password)
	if cred.ForceChange {
		c.warn(
			"force_change_unsupported",
			"SCIM cannot demand that a password be changed at the next sign-in",
			c.req.Target.RemoteID,
		)
	}
	return &desired.Attribute{Path: resource.Path{Attribute: "password"}, Value: password, Secret: true}, nil
}

// randomPassword is one that is never shown: 26 letters and digits hold 130 bits, and the rest satisfies rules of
// composition.
func randomPassword() string { return rand.Text() + "-aZ7!" }

// resetPassword sets a password. The result cannot be read.
func (c *change) resetPassword(ctx context.Context) error {
	if c.Write.Password == "" && c.provider.Declared && !c.provider.Password {
		return resource.InvalidRequest(
			"password_unsupported",
			"the target declares that passwords cannot be changed",
			"password_support overrules that.",
		)
	}
	secret, err := c.credential()
	switch {
	case err != nil:
		return err
	case secret == nil:
		c.resp.Outcome = v1.OutcomeNoop
		return nil
	}
	return c.modify(ctx, []desired.Attribute{*secret}, nil)
}

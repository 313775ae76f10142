package ldap

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/account"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/change"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// provision makes one change: it reads what is there, plans the requests that are missing, sends them in
// order, and reads again. A dry run ends with the plan, so that both plan in the same way.
func provision(ctx context.Context, env connectorkit.Env, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	change, err := change.Open(ctx, env, req)
	if err != nil {
		return v1.ProvisionResponse{}, err
	}
	defer change.Conn.Close()
	w := account.NewWriter(change)
	return w.Response(performOp(w))
}

// writesOf says which changes can be made. An anonymous login makes none.
func writesOf(auth v1.AuthConfig, env connectorkit.Env) connectorkit.Writes {
	s, err := settings.Read(auth, env.AllowInsecureTLS)
	if err != nil {
		return connectorkit.Writes{Why: err.Error()}
	}
	return settings.Operations(s)
}

// performOp makes a change that was opened.
func performOp(w *account.Writer) error {
	if e := w.Req.Expect; e != nil && e.Version != "" {
		return ldaperr.NotSent(
			v1.ClassConflict, "version_unsupported", "a directory gives its entries no version to compare with",
			"Leave expect.version out.",
		)
	}
	if k := w.Req.PrincipalKind; k != "" && k != "account" {
		return ldaperr.NotSent(
			v1.ClassConfig, "principal_unsupported",
			fmt.Sprintf("groups are granted to accounts here, not to a principal of kind %q", k),
			"Leave principal_kind out.",
		)
	}
	switch w.Req.Op {
	case v1.OpAccountCreate:
		return w.Create()
	case v1.OpEntitlementGrant:
		return w.Apply(true)
	case v1.OpEntitlementRevoke:
		return w.Apply(false)
	}
	e, presence, err := w.Locate(w.Req.Target)
	if err != nil {
		return err
	}
	if presence == v1.PresenceGone && w.Req.Op == v1.OpAccountDelete {
		w.Out.Presence, w.Out.Outcome, w.Out.Verified = presence, v1.OutcomeAlready, true
		return nil
	}
	if err := w.CheckVisible(e, presence, w.Req.Target); err != nil {
		return err
	}
	w.Out.Account = &e.Record
	return performAccountOp(w, e)
}

// performAccountOp makes one change of an account that is there.
func performAccountOp(w *account.Writer, e *lookup.Account) error {
	switch w.Req.Op {
	case v1.OpAccountUpdate:
		return w.Update(e)
	case v1.OpAccountRename:
		return w.Rename(e)
	case v1.OpAccountEnable:
		return w.SetDisabled(e, false)
	case v1.OpAccountDisable:
		return w.SetDisabled(e, true)
	case v1.OpAccountUnlock:
		return w.Unlock(e)
	case v1.OpAccountDelete:
		return w.Delete(e)
	case v1.OpAccountPassword:
		return w.ResetPassword(e)
	}
	return ldaperr.NotSent(
		v1.ClassConfig, "unknown_operation",
		fmt.Sprintf("the operation %q is not supported for directories", w.Req.Op), "",
	)
}

package tenant

import (
	"context"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant/preferences"
)

// change is what one call does to a tenant whose row is locked: do gives the entry for the logs.
func (s *Service) change(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	do func(tx *pg.Tx, t Tenant) (audit.Entry, error),
) (*found, error) {
	var t Tenant
	err := s.visit(ctx, v, id, func(tx *pg.Tx) (err error) {
		if t, err = find(ctx, tx, "for update"); err != nil {
			return err
		}
		if err := match.Check(t.Version); err != nil {
			return err
		}
		entry, err := do(tx, t)
		if err != nil {
			return err
		}
		entry.Subject = t.subject()
		if err := recordBoth(ctx, tx, entry); err != nil {
			return err
		}
		t, err = Find(ctx, tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.Changed()
	return s.answer(t), nil
}

// editable is what a merge patch is laid over.
type editable struct {
	// Display name of the tenant.
	Name string `json:"name"`
	// Region of the tenant.
	Region string `json:"region"`
	// Preferences of the tenant.
	Settings preferences.Preferences `json:"settings"`
}

// PreferencesPatch is what a merge patch of settings may hold.
type PreferencesPatch struct {
	// Time zone of the tenant, by its IANA name. Null: UTC.
	Timezone *string `json:"timezone,omitempty" nullable:"true" maxLength:"64" example:"Europe/Zurich"`
	// True if the tenant receives the event tenant.operator_access by webhook when an operator works in it.
	NotifyOperatorAccess *bool `json:"notify_operator_access,omitempty" nullable:"true"`

	// Hosts that callback_url of a sync run may name. Empty allows every public host.
	CallbackHosts []string `json:"callback_hosts,omitempty" nullable:"true" maxItems:"100"`
}

// OwnPatch is what a tenant's admins may change about it.
type OwnPatch struct {
	// Display name of the tenant.
	Name string `json:"name,omitempty" minLength:"1" maxLength:"200"`
	// Settings to change. Settings that are absent stay as they are.
	Settings PreferencesPatch `json:"settings,omitempty" required:"false"`
}

// OperatorPatch is what an operator may change about a tenant.
type OperatorPatch struct {
	OwnPatch
	// Region where the data of the tenant is kept, in the operator's words.
	Region *string `json:"region,omitempty" nullable:"true" maxLength:"64"`
}

type patchIn struct {
	// ID of the tenant.
	ID string `path:"id"`
	httpapi.IfMatch
	Body    OperatorPatch
	RawBody []byte
}

// patch is PATCH of a tenant by an operator.
func (s *Service) patch(ctx context.Context, v viewer.Viewer, in *patchIn) (*found, error) {
	return s.change(
		ctx,
		v,
		in.ID,
		in.IfMatch,
		func(tx *pg.Tx, t Tenant) (audit.Entry, error) { return edit(ctx, tx, t, in.RawBody) },
	)
}

// patchOwnIn is the input of a change of the own tenant.
type patchOwnIn struct {
	httpapi.IfMatch
	Body    OwnPatch
	RawBody []byte
}

// readOwn is GET of the own tenant.
func (s *Service) readOwn(ctx context.Context, v viewer.Viewer, _ *struct{}) (*found, error) {
	var t Tenant
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		t, err = Find(ctx, tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.answer(t), nil
}

// patchOwn needs no entry in a second log of its own: an operator who does this in a tenant is in both by X-Tenant-Id.
func (s *Service) patchOwn(ctx context.Context, v viewer.Viewer, in *patchOwnIn) (*found, error) {
	var t Tenant
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		if t, err = find(ctx, tx, "for update"); err != nil {
			return err
		}
		if err := in.Check(t.Version); err != nil {
			return err
		}
		entry, err := edit(ctx, tx, t, in.RawBody)
		if err != nil {
			return err
		}
		entry.Subject = t.subject()
		if err := audit.Record(ctx, tx, entry); err != nil {
			return err
		}
		t, err = Find(ctx, tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.answer(t), nil
}

// edit lays a merge patch over the transaction's tenant. Settings of other packages stay as they are.
func edit(ctx context.Context, tx *pg.Tx, t Tenant, patch []byte) (audit.Entry, error) {
	before := editable{Name: t.Name, Region: t.Region, Settings: t.Settings}
	after, err := mergepatch.Apply(before, patch)
	if err != nil {
		return audit.Entry{}, err
	}
	after.Name, after.Region = preferences.TidyName(after.Name, t.Slug), strings.TrimSpace(after.Region)
	after.Settings.Fill()
	if err := after.Settings.Check(); err != nil {
		return audit.Entry{}, err
	}
	changes, err := audit.Diff(before, after)
	if err != nil {
		return audit.Entry{}, err
	}
	const sql = `
		update tenant
		   set name = $1, region = $2, settings = settings || $3, updated_at = now(), version = version + 1
		 where id = current_tenant()`
	if err := pg.Exec(ctx, tx, "change tenant", sql, after.Name, after.Region, after.Settings); err != nil {
		return audit.Entry{}, err
	}
	return audit.Entry{Action: "tenant.updated", Changes: changes}, nil
}

type limitIn struct {
	// ID of the tenant.
	ID string `path:"id"`
	httpapi.IfMatch
	Body preferences.Limits
}

// limit is POST …/limits. All limits are replaced.
func (s *Service) limit(ctx context.Context, v viewer.Viewer, in *limitIn) (*found, error) {
	return s.change(ctx, v, in.ID, in.IfMatch, func(tx *pg.Tx, t Tenant) (audit.Entry, error) {
		const sql = `
			update tenant
			   set limits = $1, updated_at = now(), version = version + 1
			 where id = current_tenant()`
		if err := pg.Exec(ctx, tx, "limit tenant", sql, in.Body); err != nil {
			return audit.Entry{}, err
		}
		changes, err := audit.Diff(t.Limits, in.Body)
		return audit.Entry{Action: "tenant.limits_changed", Changes: changes}, err
	})
}

// Suspension is why an operator suspends a tenant.
type Suspension struct {
	// Is recorded in both audit logs and shown to operators.
	Reason string `json:"reason" minLength:"1" maxLength:"500"`
}

type suspendIn struct {
	// ID of the tenant.
	ID string `path:"id"`
	httpapi.IfMatch
	Body Suspension
}

// suspend is POST …/suspend. Operators cannot suspend their own tenant.
func (s *Service) suspend(ctx context.Context, v viewer.Viewer, in *suspendIn) (*found, error) {
	return s.change(ctx, v, in.ID, in.IfMatch, func(tx *pg.Tx, t Tenant) (audit.Entry, error) {
		if err := notOwn(tx.Viewer, "suspend"); err != nil {
			return audit.Entry{}, err
		}
		return t.become(ctx, tx, Suspended, "tenant.suspended", &in.Body.Reason)
	})
}

type stepIn struct {
	// ID of the tenant.
	ID string `path:"id"`
	httpapi.IfMatch
}

// resume is POST …/resume.
func (s *Service) resume(ctx context.Context, v viewer.Viewer, in *stepIn) (*found, error) {
	return s.change(ctx, v, in.ID, in.IfMatch, func(tx *pg.Tx, t Tenant) (audit.Entry, error) {
		if t.Status != Suspended {
			return audit.Entry{}, t.cannot("resumed")
		}
		return t.become(ctx, tx, Active, "tenant.resumed", nil)
	})
}

// become moves a tenant between active and suspended.
func (t Tenant) become(ctx context.Context, tx *pg.Tx, to Status, action string, why *string) (audit.Entry, error) {
	if t.Status == to || t.Status == Closing {
		return audit.Entry{}, t.cannot(string(to))
	}
	const sql = `
		update tenant
		   set status = $1, status_reason = $2, updated_at = now(), version = version + 1
		 where id = current_tenant()`
	if err := pg.Exec(ctx, tx, "change the tenant's status", sql, to, why); err != nil {
		return audit.Entry{}, err
	}
	entry := audit.Entry{Action: action, Changes: []audit.Change{{Field: "status", From: t.Status, To: to}}}
	if why != nil {
		entry.Reason = *why
	}
	return entry, nil
}

// steps are where a tenant can go from where it is.
var steps = map[Status][]string{Active: {"suspend", "close"}, Suspended: {"resume", "close"}, Closing: {"reopen"}}

// cannot is the conflict of a step that the status does not allow, with the steps that it does.
func (t Tenant) cannot(become string) error {
	return fault.Coded(fault.Conflict, "invalid_transition", "the tenant is %s and cannot be %s", t.Status, become).
		Also("allowed", steps[t.Status])
}

// notOwn keeps operators from shutting themselves out.
func notOwn(v viewer.Viewer, what string) error {
	if v.Home != "" {
		return nil
	}
	return fault.Coded(
		fault.Conflict,
		"own_tenant",
		"you cannot %s the tenant that you sign in to; an operator of another tenant can",
		what,
	)
}

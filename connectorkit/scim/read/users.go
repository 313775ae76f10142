package read

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/response"
	"github.com/grantwright/grantwright/connectorkit/scim/syncrun"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// users reads /Users.
func (r *reader) users(ctx context.Context) error {
	if r.State.List != nil && r.State.Vague {
		r.State.List, r.State.Rights = nil, nil // the roles read so far are not all known any more
		r.State.Vague = false
		clear(r.Rights)
	}
	l := r.NewListing(r.UsersPath, resource.PhaseUsers, r.UserFilter)
	if err := r.readUsers(ctx, l); err != nil {
		return err
	}
	if why := l.Incomplete(); why != "" {
		r.Warn("users_incomplete", why+"; nothing is treated as deleted", "")
		r.MarkIncomplete(syncrun.ObjectKinds...)
		r.State.Missed = "the last read did not see all users"
	}
	return nil
}

// usersChanged reads the users that changed since the last read.
func (r *reader) usersChanged(ctx context.Context) error {
	since := r.State.Plan.Since.Add(-checkpoint.Overlap).UTC().Format(time.RFC3339)
	l := r.NewListing(r.UsersPath, resource.PhaseUsers, resource.And(r.UserFilter, changedAfter(since)))
	if err := r.readUsers(ctx, l); err != nil {
		return err
	}
	if err := r.Emit(ctx, nil); err != nil {
		return err
	}
	for _, kind := range []v1.ObjectKind{v1.Identities, v1.Accounts} {
		i := r.KindIndex(kind)
		r.State.Counts[i] = r.State.Before[i] // who is there is counted by usersPresent
	}
	if why := l.Incomplete(); why != "" {
		r.Warn("users_incomplete", why+"; the next read will be a full one", "")
		r.State.Missed = "the last read did not see all changed users"
	}
	return nil
}

// readUsers emits every user of a list with all that is in the record. A page is held whole until it was read to its
// end.
func (r *reader) readUsers(ctx context.Context, l *syncrun.Listing) error {
	l.Prefetch = true
	l.ReadPage = func(resp *target.Response) (syncrun.Page, error) {
		p, held, err := syncrun.ReadElements(resp)
		p.Done = func(ctx context.Context, first func(string) bool) error {
			r.State.Stats.Pages++
			if !r.State.Plan.Incremental() {
				r.SetEstimate(l.Position.Total, v1.Identities, v1.Accounts)
			}
			for _, res := range held {
				if err := r.user(ctx, res, l.Quiet, first); err != nil {
					return err
				}
			}
			return nil
		}
		return p, err
	}
	return l.ReadAll(ctx)
}

// usersPresent names all users by their ids.
func (r *reader) usersPresent(ctx context.Context) error {
	l := r.NewListing(r.UsersPath, resource.PhaseUsers, r.UserFilter)
	l.Query.Set("attributes", "id")
	l.Size = r.IDPageSize(l.Size)
	l.Prefetch = true
	l.ReadPage = func(resp *target.Response) (syncrun.Page, error) {
		p, err := syncrun.ReadIDs(resp, func(in *response.Reader) (string, error) {
			res, err := in.Element()
			return res.Key(), err
		})
		p.Done = func(_ context.Context, first func(string) bool) error {
			r.State.Stats.Pages++
			r.SetEstimate(l.Position.Total, v1.Identities, v1.Accounts)
			var found []string
			for _, id := range p.Ids {
				if why := resource.InvalidID(id); why != "" {
					r.SkipRecord("a user "+why, "", v1.Identities, v1.Accounts)
				} else if first(id) {
					found = append(found, id)
				}
			}
			r.MarkPresent(v1.Identities, found...)
			r.MarkPresent(v1.Accounts, found...)
			return nil
		}
		return p, err
	}
	if err := l.ReadAll(ctx); err != nil {
		return err
	}
	if why := l.Incomplete(); why != "" {
		r.Warn("users_incomplete", why+"; nothing is treated as deleted", "")
		r.MarkIncomplete(v1.Identities, v1.Accounts)
	}
	return nil
}

// user emits one User as the wanted kinds.
func (r *reader) user(ctx context.Context, res response.Element, quiet bool, first func(string) bool) error {
	rec, id := res.Record, res.Key()
	if why := resource.InvalidID(id); why != "" {
		if res.Problem != "" {
			why = res.Problem
		}
		r.SkipRecord("a user "+why, rec.Text("userName"), syncrun.ObjectKinds...)
		return nil
	}
	if !first(id) {
		if !quiet {
			r.Warn("duplicate", "the target listed this user more than once", id)
		}
		return nil
	}
	if res.Problem != "" {
		r.unreadable("the record of this user "+res.Problem+"; it is left as it was", id, v1.Identities, v1.Accounts)
		return nil
	}
	r.DropChangedKinds("user", rec, id)
	attributes, shortened := resource.Flatten(rec)
	if len(shortened) > 0 {
		r.Warn("truncated", resource.TruncationMessage(shortened), id)
	}
	attributes = resource.Allowed(attributes, r.Allowlist)
	r.SeeModified(rec.Object("meta").Time("lastModified"))
	if r.Want[v1.Identities] {
		r.Out.Identities = append(r.Out.Identities, resource.ToIdentity(rec, attributes))
	}
	if r.Want[v1.Accounts] {
		r.Out.Accounts = append(r.Out.Accounts, resource.ToAccount(rec, attributes, r.Want[v1.Identities]))
	}
	if r.WantsGroups() {
		r.rightsOf(rec, id)
	}
	return r.EmitBatch(ctx)
}

// unreadable notes a record that is there but cannot be used. What it was before stays; what it holds is not known.
func (r *reader) unreadable(message, id string, kinds ...v1.ObjectKind) {
	r.SkipRecord(message, id, v1.Grants)
	if !r.State.Plan.Incremental() { // else its id is reported with all others
		for _, kind := range kinds {
			r.MarkPresent(kind, id)
		}
	}
}

package scim

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// How a read goes about it, in Page.Read.
const (
	strategyFull         = "full"
	strategyLastModified = "scim_last_modified"
)

// The legs of a read. Each is a list of its own.
const (
	legUsers         = "users"
	legGroups        = "groups"         // with members
	legMemberships   = "memberships"    // users again, for the groups they carry
	legUsersChanged  = "users_changed"  // by meta.lastModified
	legUsersPresent  = "users_present"  // ids only
	legGroupsChanged = "groups_changed" // ids and times of all, whole those that changed
)

// overlap is read again before the last position: the clocks of a target's parts differ, and what is written may show
// late.
const overlap = 5 * time.Minute

// plan is what a read does.
type plan struct {
	Strategy string     `json:"strategy"`
	Reason   string     `json:"reason,omitempty"` // why everything is read though changes were asked for
	Since    *time.Time `json:"since,omitempty"`
	Legs     []string   `json:"legs"`
	Known    int        `json:"known,omitempty"`  // rights known from the last read
	Always   bool       `json:"always,omitempty"` // the target does not tell when memberships change
	Cut      int        `json:"cut,omitempty"`    // a group of so many members may have more
}

func (p plan) incremental() bool { return p.Strategy == strategyLastModified }

// decide chooses between reading everything and reading what has changed.
func (r *reading) decide(ctx context.Context, req v1.SyncRequest) error {
	cursor := ""
	if req.Options != nil {
		cursor = req.Options.Cursor
	}
	if !req.Incremental {
		r.readAll("")
		return nil
	}
	if cursor == "" {
		r.readAll("there is no earlier read to start from")
		return nil
	}
	w, why := watermarkOf(cursor, r.at.Settings)
	if why == "" {
		why = r.unable(w)
	}
	if why == "" {
		var err error
		if why, err = r.tryFilter(ctx); err != nil {
			return err
		}
	}
	if why != "" {
		r.readAll(why)
		return nil
	}
	r.readChanges(w)
	return nil
}

func (r *reading) readAll(reason string) {
	legs := []string{legUsers}
	if r.wantsGroups() {
		legs = append(legs, legGroups)
	}
	r.at.Plan = plan{Strategy: strategyFull, Reason: reason, Legs: legs}
}

func (r *reading) wantsGroups() bool { return r.want[v1.Entitlements] || r.want[v1.Grants] }

func (r *reading) readChanges(w watermark) {
	legs := []string{legUsersChanged, legUsersPresent}
	if r.wantsGroups() {
		leg := legGroupsChanged
		if r.groupChanges == quirks.GroupsAlways || w.Always && r.groupChanges == auto {
			leg = legGroups
		}
		legs = append(legs, leg)
	}
	r.at.Plan = plan{
		Strategy: strategyLastModified,
		Since:    w.Since,
		Legs:     legs,
		Known:    len(w.Rights),
		Always:   w.Always,
		Cut:      w.Cut,
	}
	r.at.Latest, r.at.Rights, r.at.Strategy, r.at.Samples = w.Since, w.Rights, w.Strategy, w.Samples
}

// unable says why changes cannot be read, as far as that is known without asking.
func (r *reading) unable(w watermark) string {
	switch {
	case r.lastModified == quirks.No:
		return "users of " + r.profile.Name + " cannot be asked for by the time of their change"
	case r.filterSupport == quirks.FilterEqOnly:
		return "the target's filters compare by equality only"
	case r.filterSupport == quirks.FilterNone, r.filterSupport == auto && r.provider.declared && !r.provider.filter:
		return "the target has no filters"
	case r.attributes == quirks.No:
		return "the target always tells whole records, so that finding out what is gone costs as much as reading " +
			"everything"
	case w.Vague:
		return "users carry more different roles and entitlements than can be followed by their changes"
	}
	return ""
}

// Moments that no record's change can lie after, or before.
const (
	farFuture = "2199-12-31T23:59:59Z"
	farPast   = "1970-01-02T00:00:00Z"
)

// tryFilter finds out whether the target filters by meta.lastModified and tells ids alone. Nothing declares that, and
// many targets ignore what they do not know: nothing may have changed after a day far ahead, and something must have
// changed after one long ago.
func (r *reading) tryFilter(ctx context.Context) (why string, err error) {
	later, err := r.sample1(ctx, changedAfter(farFuture))
	if why, err := refusal(err); why != "" || err != nil {
		return why, err
	}
	if later.some {
		return fmt.Sprintf(
			"the target ignores filters by meta.lastModified: it told users changed after %s",
			farFuture[:4],
		), nil
	}
	earlier, err := r.sample1(ctx, changedAfter(farPast))
	if why, err := refusal(err); why != "" || err != nil {
		return why, err
	}
	if !earlier.some {
		return fmt.Sprintf(
			"the target's filter by meta.lastModified finds nothing, not even users changed since %s",
			farPast[:4],
		), nil
	}
	if !earlier.sparse {
		return "the target ignores attributes=id, so that finding out what is gone costs as much as reading " +
			"everything", nil
	}
	return "", nil
}

// refusal tells an answer that declines a question from trouble that keeps it from being answered.
func refusal(err error) (string, error) {
	var d *v1.ErrorDetail
	if err == nil || !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil {
		return "", err
	}
	switch status := d.Target.HTTP.Status; {
	case status == 400,
		status == 403,
		status == 404,
		status == 405,
		status == 422,
		status == 500,
		status == 501,
		d.Code == "scim_error":
		return "the target refuses filters by meta.lastModified: " + d.Message, nil
	}
	return "", err
}

func changedAfter(moment string) string { return fmt.Sprintf(`meta.lastModified gt "%s"`, moment) }

// both joins two filters, either of which may be missing.
func both(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return "(" + a + ") and " + b
}

// glimpse is what the answer for one user tells.
type glimpse struct {
	some   bool // there is at least one
	total  int  // -1: not told
	sparse bool // the user came with no more than asked for
}

// sample1 asks for the id of one user that a filter finds.
func (r *reading) sample1(ctx context.Context, filter string) (out glimpse, err error) {
	q := url.Values{"filter": {both(r.userFilter, filter)}, "attributes": {"id"}, "count": {"1"}}
	if r.mode(r.provider) == pageCursor {
		q.Set("cursor", "")
	}
	ask := target.Request{URL: r.usersPath, Query: q, Phase: phaseUsers, Stream: true}
	err = r.fetch(ctx, ask, func(resp *target.Response) error {
		out = glimpse{sparse: true}
		head, err := readList(resp, func(in *raw) error {
			if out.some {
				return errEnough
			}
			res, err := in.resource()
			out.some, out.sparse = true, sparse(res.rec)
			return err
		})
		if out.total = head.total; head.total > 0 {
			out.some = true
		}
		return err
	})
	return out, err
}

// sparse says whether a record has no more than what attributes=id leaves: what is always returned stays (RFC 7643
// section 7).
func sparse(rec record) bool {
	for name := range rec {
		switch strings.ToLower(name) {
		case "id", "schemas", "meta", "externalid", "username":
		default:
			return false
		}
	}
	return true
}

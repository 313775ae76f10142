package read

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/provider"
	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// decide chooses between reading everything and reading what has changed.
func (r *reader) decide(ctx context.Context, req v1.SyncRequest) error {
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
	w, why := checkpoint.DecodeWatermark(cursor, r.State.Settings)
	if why == "" {
		why = NotIncremental(r.Session, r.Provider, w)
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

// readAll plans a full read: all users, then all groups. reason says why it is not an incremental
// one and is part of what the sync reports; empty where a full read was asked for.
func (r *reader) readAll(reason string) {
	legs := []string{checkpoint.LegUsers}
	if r.WantsGroups() {
		legs = append(legs, checkpoint.LegGroups)
	}
	r.State.Plan = checkpoint.Plan{Strategy: checkpoint.StrategyFull, Reason: reason, Legs: legs}
}

// readChanges plans a read of what changed since the last one: changed users, then the ids of all
// users, because SCIM does not report deletions, then changed groups. All groups are read where a
// change of members does not move their lastModified. What the last read knew is taken over into
// the state, which becomes the next cursor.
func (r *reader) readChanges(w checkpoint.Watermark) {
	legs := []string{checkpoint.LegUsersChanged, checkpoint.LegUsersPresent}
	if r.WantsGroups() {
		leg := checkpoint.LegGroupsChanged
		if r.GroupChanges == quirks.GroupsAlways || w.Always && r.GroupChanges == settings.Auto {
			leg = checkpoint.LegGroups
		}
		legs = append(legs, leg)
	}
	r.State.Plan = checkpoint.Plan{
		Strategy: checkpoint.StrategyLastModified,
		Since:    w.Since,
		Legs:     legs,
		Known:    len(w.Rights),
		Always:   w.Always,
		Cut:      w.Cut,
	}
	r.State.Latest, r.State.Rights, r.State.Strategy, r.State.Samples = w.Since, w.Rights, w.Strategy, w.Samples
}

// NotIncremental returns why changes cannot be read, as far as that is known without a request; empty if they can.
func NotIncremental(s *provider.Session, p provider.Declaration, w checkpoint.Watermark) string {
	switch {
	case s.LastModified == quirks.No:
		return "users of " + s.Profile.Name + " cannot be asked for by the time of their change"
	case s.FilterSupport == quirks.FilterEqOnly:
		return "the target's filters compare by equality only"
	case s.FilterSupport == quirks.FilterNone, s.FilterSupport == settings.Auto && p.Declared && !p.Filter:
		return "the target has no filters"
	case s.Attributes == quirks.No:
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

// tryFilter finds out whether the target filters by meta.lastModified and returns ids alone. Nothing declares that, and
// many targets ignore what they do not know: nothing may have changed after a day far ahead, and something must have
// changed after one long ago.
func (r *reader) tryFilter(ctx context.Context) (why string, err error) {
	later, err := r.Glimpse(ctx, changedAfter(farFuture))
	if why, err := provider.Refusal(err); why != "" || err != nil {
		return why, err
	}
	if later.Some {
		return fmt.Sprintf(
			"the target ignores filters by meta.lastModified: it returned users changed after %s",
			farFuture[:4],
		), nil
	}
	earlier, err := r.Glimpse(ctx, changedAfter(farPast))
	if why, err := provider.Refusal(err); why != "" || err != nil {
		return why, err
	}
	if !earlier.Some {
		return fmt.Sprintf(
			"the target's filter by meta.lastModified finds nothing, not even users changed since %s",
			farPast[:4],
		), nil
	}
	if !earlier.Sparse {
		return "the target ignores attributes=id, so that finding out what is gone costs as much as reading " +
			"everything", nil
	}
	return "", nil
}

// changedAfter is a filter by RFC 7644 section 3.4.2.2 for what was modified after a moment, which
// is in the form of RFC 3339.
func changedAfter(moment string) string { return fmt.Sprintf(`meta.lastModified gt "%s"`, moment) }

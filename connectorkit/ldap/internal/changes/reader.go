package changes

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/full"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/read"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/records"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// newCheckpoint begins a full read, with whatever has to be noted beforehand to find changes later.
func (r *Reader) newCheckpoint(avoid string) (*read.Checkpoint, error) {
	at := &read.Checkpoint{Version: read.CheckpointVersion, Settings: r.SettingsSum, Reason: r.ReadInfo.FallbackReason}
	begin, err := r.findPosition(avoid)
	if err != nil {
		return nil, err
	}
	at.Begin = begin
	if r.Flavor.ActiveDirectory {
		at.Top, _ = strconv.ParseInt(r.Root.First("highestCommittedUSN"), 10, 64)
		at.Source = r.Source()
	}
	return at, nil
}

// Reader reads what has changed.
type Reader struct{ *full.Reader }

// NewReader prepares a sync over a session. now is used only to tell whether a password has expired.
func NewReader(
	ctx context.Context, se *session.Session, o *v1.SyncOptions, emit connectorkit.Emit, now time.Time,
) *Reader {
	base := &read.Run{
		Reader: entry.NewReader(ctx, se, o.FieldAllowlist, now), Emit: emit, Wanted: entry.WantedKinds(o.Objects),
		Began: time.Now(), LastReport: time.Now(), Limited: o.MaxRecords != nil && *o.MaxRecords > 0,
		CheckpointEvery: read.CheckpointRecords,
	}
	records := &records.Reader{Run: base, PrimaryKeys: map[string]string{}}
	r := &Reader{&full.Reader{Reader: records, SplitPoints: map[string][]string{}}}
	r.Warnings.List = se.Warnings
	r.Warnings.Total = len(se.Warnings)
	r.Reset()
	userFilter, groupFilter := settings.Filters(se.Settings, se.Flavor)
	r.Persons = read.Objects{
		Phase: "users", Noun: "people", Base: se.UserBaseDN, Filter: userFilter, Handle: r.User,
		Kinds:   r.WantedOf(v1.Identities, v1.Accounts),
		Classes: settings.ClassesOrDefault(se.UserClasses, se.Flavor.UserClasses),
	}
	r.Groups = read.Objects{
		Phase: "groups", Noun: "groups", Base: se.GroupBaseDN, Filter: groupFilter, Handle: r.Group,
		Kinds: r.WantedOf(v1.Entitlements), Classes: settings.ClassesOrDefault(se.GroupClasses, se.Flavor.GroupClasses),
	}
	r.SettingsSum = r.FingerprintSettings(o)
	return r
}

// Sync chooses between going on with an interrupted read, reading changes and reading everything.
func (r *Reader) Sync(incremental bool, o *v1.SyncOptions) error {
	if len(r.Objects()) == 0 {
		return r.Finish(nil, nil) // nothing was asked for that a directory has
	}
	at, err := r.OpenCheckpoint(incremental, o)
	if err != nil {
		return err
	}
	if at != nil && at.Changes == "" {
		return r.ReadAll(at)
	}
	avoid := ""
	if incremental {
		err := r.incremental(o.Cursor, at)
		var back *fallback
		if !errors.As(err, &back) {
			return err
		}
		r.Reset()
		r.ReadInfo.FallbackReason = back.reason
		avoid = back.avoid
	}
	at, err = r.newCheckpoint(avoid)
	if err != nil {
		return err
	}
	return r.ReadAll(at)
}

package ldap

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Sync reads what has changed, where a cursor is given and the directory can tell, or else everything.
func (c *connector) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	s, err := c.read(req.AuthConfig)
	if err != nil {
		return err
	}
	se, err := c.open(ctx, s)
	if err != nil {
		return err
	}
	defer se.conn.Close()
	if err := se.settleKeys(ctx); err != nil {
		return err
	}
	options := req.Options
	if options == nil {
		options = &v1.SyncOptions{}
	}
	r := newRun(ctx, se, options, emit, c.env.Now())
	err = r.sync(req.Incremental, options)
	if r.declined != nil {
		return r.declined
	}
	return err
}

func newRun(ctx context.Context, se *session, o *v1.SyncOptions, emit connectorkit.Emit, now time.Time) *run {
	r := &run{
		session: se, ctx: ctx, emit: emit, now: now, began: time.Now(), lastSign: time.Now(), want: wanted(o), dict: newDictionary(se, o),
		primary: map[string]string{}, markEvery: checkpointRecords, cuts: map[string][]string{}, read: v1.Read{Strategy: strategyFull},
	}
	r.warnings.list = se.warnings
	r.warnings.total = len(se.warnings)
	r.forget()
	userFilter, groupFilter := filters(se.settings, se.flavor)
	r.people = objects{
		phase: "users", what: "people", base: se.userBase, filter: userFilter, each: r.user,
		kinds: r.wantedOf(v1.Identities, v1.Accounts), classes: classesOr(se.userClasses, se.flavor.userClasses),
	}
	r.teams = objects{
		phase: "groups", what: "groups", base: se.groupBase, filter: groupFilter, each: r.group,
		kinds: r.wantedOf(v1.Entitlements), classes: classesOr(se.groupClasses, se.flavor.groupClasses),
	}
	r.settingsSum = r.sumSettings(o)
	return r
}

// wanted says which kinds of record are asked for; none named means all.
func wanted(o *v1.SyncOptions) map[v1.ObjectKind]bool {
	kinds := []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants}
	want := map[v1.ObjectKind]bool{}
	for _, k := range kinds {
		want[k] = o == nil || len(o.Objects) == 0 || slices.Contains(o.Objects, k)
	}
	return want
}

// objects are the entries of one sort: people, or groups.
type objects struct {
	phase   string // users, groups
	what    string // people, groups
	base    string
	filter  string
	classes []string
	kinds   []v1.ObjectKind // of the records made of each, as far as wanted; grants come on top
	each    func(*wire.Entry) error
}

// all lists what has to be read, in order. Active Directory's primary groups are only named by the people in them, so there
// groups come first.
func (r *run) all() []objects {
	primary := r.flavor.activeDir && r.want[v1.Grants]
	var list []objects
	if len(r.people.kinds) > 0 || primary {
		list = append(list, r.people)
	}
	if len(r.teams.kinds) > 0 || r.want[v1.Grants] {
		list = append(list, r.teams)
	}
	if primary {
		slices.Reverse(list)
	}
	return list
}

// sync chooses between going on with an interrupted read, reading changes and reading everything.
func (r *run) sync(incremental bool, o *v1.SyncOptions) error {
	if len(r.all()) == 0 {
		return r.finish(nil, nil) // nothing was asked for that a directory has
	}
	at, err := r.resume(o.Checkpoint)
	if err != nil {
		return err
	}
	if at != nil {
		return r.full(at)
	}
	avoid := ""
	if incremental {
		err := r.incremental(o.Cursor)
		var back *fallback
		if !errors.As(err, &back) {
			return err
		}
		r.forget()
		r.read.FallbackReason = back.reason
		avoid = back.avoid
	}
	at, err = r.start(avoid)
	if err != nil {
		return err
	}
	return r.full(at)
}

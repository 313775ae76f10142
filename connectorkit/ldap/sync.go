package ldap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Sync reads what has changed, where a cursor is given and the directory can tell, or else everything. A connection that is lost on
// the way is made anew, and the read goes on behind what was handed on last.
func (c *connector) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	s, err := c.read(req.AuthConfig)
	if err != nil {
		return err
	}
	l := &reading{connector: c, settings: s, req: req, emit: emit}
	if req.Options != nil {
		l.options = *req.Options
	}
	for {
		err := l.readOnce(ctx)
		if err == nil || !l.again(ctx, err) {
			return err
		}
	}
}

// reading is a sync whose connection may break and be made anew.
type reading struct {
	*connector
	settings  *settings
	req       v1.SyncRequest
	options   v1.SyncOptions // with the last checkpoint that was handed on
	emit      connectorkit.Emit
	declined  error // by whom the records are for
	signedIn  bool  // the directory was reached once
	breaks    int   // in all
	fruitless int   // breaks since something was handed on with a checkpoint
}

// readOnce reads until the end, or until the connection is lost.
func (l *reading) readOnce(ctx context.Context) error {
	s := *l.settings
	se, err := l.open(ctx, &s)
	if err != nil {
		return err
	}
	defer se.conn.Close()
	l.signedIn = true
	if err := se.settleClasses(ctx); err != nil {
		return err
	}
	if err := se.settleKeys(ctx); err != nil {
		return err
	}
	if l.breaks > 0 {
		se.warnings = append(se.warnings, v1.Warning{Code: "connection_lost", Message: fmt.Sprintf("the connection to the directory was lost %d times during the sync; it was opened again, and the sync continued", l.breaks)})
	}
	r := newRun(ctx, se, &l.options, l.noting, l.env.Now())
	err = r.sync(l.req.Incremental, &l.options)
	if r.declined != nil {
		l.declined = r.declined
		return r.declined
	}
	return err
}

// noting hands a page on, and keeps the place behind it.
func (l *reading) noting(ctx context.Context, page v1.SyncResponse) error {
	err := l.emit(ctx, page)
	if err == nil && page.Page != nil && page.Page.Checkpoint != "" {
		l.options.Checkpoint, l.fruitless = page.Page.Checkpoint, 0
	}
	return err
}

// reconnectAfter is how long to wait before each new connection. A read that gets no further in all of them has failed.
var reconnectAfter = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 15 * time.Second}

// again says whether a read that ended with an error goes on, and waits until it may.
func (l *reading) again(ctx context.Context, err error) bool {
	var d *v1.ErrorDetail
	switch {
	case l.declined != nil, !l.signedIn, ctx.Err() != nil, !errors.As(err, &d), d.Class != v1.ClassTransient:
		return false
	case l.fruitless >= len(reconnectAfter):
		return false
	}
	wait := reconnectAfter[l.fruitless]
	l.breaks, l.fruitless = l.breaks+1, l.fruitless+1
	connectorkit.ReportOf(ctx).Tell(v1.Progress{Phase: "connect", Message: "the connection was lost; signing in again"})
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func newRun(ctx context.Context, se *session, o *v1.SyncOptions, emit connectorkit.Emit, now time.Time) *run {
	r := &run{
		session: se, ctx: ctx, emit: emit, now: now, began: time.Now(), lastSign: time.Now(), want: wanted(o), dict: newDictionary(se, o),
		limited: o.MaxRecords != nil && *o.MaxRecords > 0, primary: map[string]string{}, markEvery: checkpointRecords, cuts: map[string][]string{}, read: v1.Read{Strategy: strategyFull},
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
	at, err := r.resume(incremental, o)
	if err != nil {
		return err
	}
	if at != nil && at.Changes == "" {
		return r.full(at)
	}
	avoid := ""
	if incremental {
		err := r.incremental(o.Cursor, at)
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

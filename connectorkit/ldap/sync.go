package ldap

import (
	"context"
	"errors"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/changes"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/schema"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// sync reads what has changed, where a cursor is given and the directory can tell, or else everything. A
// connection that is lost on the way is made again, and the read goes on behind what was emitted last.
func sync(ctx context.Context, env connectorkit.Env, req v1.SyncRequest, emit connectorkit.Emit) error {
	s, err := settings.Read(req.AuthConfig, env.AllowInsecureTLS)
	if err != nil {
		return err
	}
	l := &syncSession{env: env, settings: s, req: req, emit: emit}
	if req.Options != nil {
		l.options = *req.Options
	}
	for {
		err := l.readOnce(ctx)
		if err == nil || !l.retry(ctx, err) {
			return err
		}
	}
}

// syncSession is a sync whose connection may break and be made again.
type syncSession struct {
	env                   connectorkit.Env
	settings              *settings.Settings
	req                   v1.SyncRequest
	options               v1.SyncOptions // with the last checkpoint that was emitted
	emit                  connectorkit.Emit
	declined              error // of the receiver of the records
	signedIn              bool  // the directory was reached once
	broken                bool  // the connection was lost before
	breaksSinceCheckpoint int   // breaks since something was emitted with a checkpoint
}

// readOnce reads until the end, or until the connection is lost.
func (l *syncSession) readOnce(ctx context.Context) error {
	s := *l.settings
	se, err := session.Open(ctx, l.env, &s)
	if err != nil {
		return err
	}
	defer se.Conn.Close()
	l.signedIn = true
	if err := schema.ResolvePersonClasses(ctx, se); err != nil {
		return err
	}
	if err := se.ResolveKeys(ctx); err != nil {
		return err
	}
	if l.broken {
		se.Warnings = append(
			se.Warnings,
			v1.Warning{
				Code: "connection_lost",
				Message: "the connection to the directory was lost during the sync; it was opened again, and the " +
					"sync continued",
			},
		)
	}
	r := changes.NewReader(ctx, se, &l.options, l.emitAndNote, l.env.Now())
	err = r.Sync(l.req.Incremental, &l.options)
	if r.EmitErr != nil {
		l.declined = r.EmitErr
		return r.EmitErr
	}
	return err
}

// emitAndNote hands a page on, and keeps the place behind it.
func (l *syncSession) emitAndNote(ctx context.Context, page v1.SyncResponse) error {
	err := l.emit(ctx, page)
	if err == nil && page.Page != nil && page.Page.Checkpoint != "" {
		l.options.Checkpoint, l.breaksSinceCheckpoint = page.Page.Checkpoint, 0
	}
	return err
}

// reconnectAfter is how long to wait before each new connection. A read that gets no further in all of them has failed.
var reconnectAfter = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 15 * time.Second}

// retry says whether a read that ended with an error goes on, and waits until it may.
func (l *syncSession) retry(ctx context.Context, err error) bool {
	var d *v1.ErrorDetail
	switch {
	case l.declined != nil, !l.signedIn, ctx.Err() != nil, !errors.As(err, &d), d.Class != v1.ClassTransient:
		return false
	case l.breaksSinceCheckpoint >= len(reconnectAfter):
		return false
	}
	wait := reconnectAfter[l.breaksSinceCheckpoint]
	l.broken, l.breaksSinceCheckpoint = true, l.breaksSinceCheckpoint+1
	connectorkit.ReportOf(ctx).Send(v1.Progress{Phase: "connect", Message: "the connection was lost; signing in again"})
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

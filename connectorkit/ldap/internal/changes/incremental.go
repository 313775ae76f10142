package changes

import (
	"errors"
	"fmt"
	"slices"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/read"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// readChanged reads the entries that match a filter for what has changed, search by search.
func (r *Reader) readChanged(since string) error {
	for _, o := range r.Objects() {
		if slices.Contains(r.Checkpoint.Phases, o.Phase) {
			continue
		}
		p := o.Whole()
		p.Filter = "(&" + o.Filter + since + ")"
		out, err := r.ReadPartition(o, p)
		if err != nil {
			return err
		}
		r.NoteOutcome(o, out)
		if err := r.endPhase(o); err != nil {
			return err
		}
	}
	return nil
}

// endPhase marks that a search for changes is done.
func (r *Reader) endPhase(o read.Objects) error {
	r.Checkpoint.Phases = append(r.Checkpoint.Phases, o.Phase)
	return r.SaveCheckpoint(nil)
}

// markChanges marks how far changes were read, where enough of them were since the last mark.
func (r *Reader) markChanges() error {
	if r.RecordsSinceCheckpoint+r.Page.Len() < r.CheckpointEvery {
		return nil
	}
	return r.SaveCheckpoint(nil)
}

// fallback ends a read of changes that has to become a full one.
type fallback struct {
	// reason is shown to users.
	reason string
	avoid  string // a strategy that would not do any better the next time
}

// Error says why a full read is needed. It is shown to users as the reason of the run's mode.
func (f *fallback) Error() string { return "everything has to be read: " + f.reason }

// incremental reads what has changed since a cursor was given. Where that cannot be done its error is a *fallback.
func (r *Reader) incremental(cursor string, at *read.Checkpoint) error {
	from, why := r.OpenCursor(cursor)
	if why == "" && !slices.Contains(r.candidates(), from.Strategy) {
		why = "the directory, or change_mode, no longer allows for the way in which changes were found"
	}
	if r.ChangeMode == settings.ModeNone {
		why = "change_mode is none"
	}
	if why != "" {
		return &fallback{reason: why}
	}
	r.ReadInfo = v1.Read{Incremental: true, Strategy: from.Strategy}
	r.Report("changes", "reading what has changed")
	if at == nil {
		at = read.NewChangesCheckpoint(from, cursor, r.SettingsSum)
	}
	if err := r.readSince(from, at); err != nil {
		return r.orFallback(from.Strategy, err)
	}
	return nil
}

// readSince reads the changes since a position, by the strategy that the position was taken with,
// and finishes the run with the next position. Places that were renamed are read in whole
// afterwards, for their entries have other DNs without having changed. Where something may have
// gone unnoticed, the keys of all entries are read at the end, and what is not among them is gone.
func (r *Reader) readSince(from *read.Position, at *read.Checkpoint) error {
	r.Checkpoint = at
	r.RestoreCounts(at)
	moved, err := r.readContainers(from.Containers)
	if err != nil {
		return err
	}
	if err := r.checkUndeclared(from.Undeclared); err != nil {
		return err
	}
	r.Undeclared.Start(moved.now, from.Undeclared, true)
	r.Undeclared.Add(at.Begin.Undeclared)
	next, err := strategies[from.Strategy].changes(r, from)
	if err != nil {
		return err
	}
	if err := r.readMoved(moved); err != nil {
		return err
	}
	next.Version, next.Strategy = read.CursorVersion, from.Strategy
	next.Settings, next.Containers = r.SettingsSum, moved.now
	if next.Undeclared, err = r.UndeclaredContainers(); err != nil {
		return err
	}
	if r.Undeclared.Overflow {
		next = nil
	}
	if moved.vanished || r.ListKeysWanted {
		if err := r.ListKeys(); err != nil {
			return err
		}
	}
	return r.Finish(r.ProvenScopes, next)
}

// orFallback distinguishes a refusal, after which everything can still be read, from an error that ends the run.
func (r *Reader) orFallback(strategy string, err error) error {
	var (
		back    *fallback
		refused *wire.ResultError
		d       *v1.ErrorDetail
	)
	code := 0
	switch {
	case errors.As(err, &back), r.Conn.Broken():
		return err
	case errors.As(err, &refused):
		code = refused.Code
	case errors.As(err, &d) && d.Target != nil && d.Target.LDAP != nil:
		code = d.Target.LDAP.ResultCode
	}
	switch code {
	case 0, goldap.LDAPResultBusy, goldap.LDAPResultUnavailable:
		return r.SearchError(r.Ctx, "changes", err)
	}
	back = &fallback{
		reason: fmt.Sprintf(
			"the directory answered the search for changes with result %d (%s)", code, ldaperr.ResultName(code),
		),
	}
	switch code {
	case wire.RefreshRequired:
		back.reason = "the directory no longer knows what has changed since the last read (result 4096, " +
			"e-syncRefreshRequired)"
	case goldap.LDAPResultUnwillingToPerform:
		// OpenLDAP says so where another server of the same directory was ahead of it, which passes.
	default:
		back.avoid = strategy
	}
	return back
}

package syncrun

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const (
	maxPages    = 1_000_000 // ends a listing that would never end (CON-4)
	maxStale    = 3         // pages in a row that bring nothing new
	maxBlank    = 100       // pages in a row that bring nothing at all
	maxRestarts = 2         // of a listing whose cursor the target forgot
)

// Listing reads all pages of /Users or /Groups, by index or by cursor, and finds out whether they are complete.
type Listing struct {
	*Run
	Path  string
	Phase string
	Query url.Values // filter and the like; identical on every page, as RFC 9865 wants it
	// Size is how many resources a page is asked to have. A target may send fewer, and that does
	// not end the list.
	Size  int
	Quiet bool // do not warn of what comes twice

	NoCheckpoints bool // a list inside another, which is read again as a whole

	// ReadPage takes one page. It may run again for the same page, after a break; forget what the broken run left.
	ReadPage func(*target.Response) (Page, error)

	Prefetch bool // read leaves everything to page.done, so that the next page may be fetched meanwhile

	Position checkpoint.Position
	// seen are hashes of all ids of the list so far. After a resume only those that the checkpoint
	// holds are known, so that a few resources may count twice.
	seen map[uint64]struct{}
	// recent are the hashes of the last ids, in their order, for the next checkpoint.
	recent []uint64
	prints map[uint64]struct{} // of pages
	stale  int                 // pages in a row without anything new
	front  int                 // as far as pages before a step back reached: up to there nothing new is expected
	blank  int                 // empty pages in a row
	// restarts counts how often the list was begun again because its cursor was no longer known.
	restarts int
	// resumed says that the list was not begun by this attempt.
	resumed bool
}

// NewListing begins the paged read of one kind of resource, or goes on with it.
func (r *Run) NewListing(path, phase, filter string) *Listing {
	l := &Listing{Run: r, Path: path, Phase: phase, Query: url.Values{}, Size: r.PageSize(r.Provider)}
	if filter != "" {
		l.Query.Set("filter", filter)
	}
	l.Reset()
	if from := r.State.List; from != nil && !r.forgotten(from) {
		l.Position, l.resumed = *from, true
		l.recent = checkpoint.Unpack(from.Recent)
		for _, h := range l.recent {
			l.seen[h] = struct{}{}
		}
		l.prints[from.Print] = struct{}{}
		return l
	}
	r.State.List, r.State.Counts = nil, r.State.Before
	return l
}

// forgotten says whether the target has let go of a cursor since (RFC 9865 section 4).
func (r *Run) forgotten(at *checkpoint.Position) bool {
	timeout := r.Provider.CursorTimeout
	return at.Cursor != "" && timeout > 0 && r.Now().Sub(at.At) >= timeout
}

// Reset goes back to the beginning.
func (l *Listing) Reset() {
	l.Position = checkpoint.Position{Mode: l.PagingMode(l.Provider), Start: 1, Total: -1, Unsorted: l.Position.Unsorted}
	l.seen, l.prints, l.recent, l.stale = map[uint64]struct{}{}, map[uint64]struct{}{}, nil, 0
}

// ReadAll reads the list to its end; Incomplete then says whether anything is missing. With Prefetch, the next page is
// requested while one is processed.
func (l *Listing) ReadAll(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var next <-chan fetched
	defer func() {
		if cancel(); next != nil {
			<-next // nothing goes on behind the caller's back
		}
	}()
	for l.Position.Pages < maxPages {
		if next == nil {
			next = l.fetchPage(ctx, l.Position)
		}
		got := <-next
		if next = nil; got.err != nil {
			if l.unsortable(got.err) {
				l.Position.Unsorted = true
				continue
			}
			if l.lost(got.err) && l.restarts < maxRestarts {
				l.restart()
				continue
			}
			return cursorError(got.err)
		}
		if end, err := l.count(got.page); end || err != nil {
			return err
		}
		more, err := l.advance(got.page)
		if err != nil {
			return err
		}
		if more && l.Prefetch {
			next = l.fetchPage(ctx, l.Position)
		}
		known := l.Position.Distinct
		if err := got.page.Done(ctx, l.first); err != nil {
			return err
		}
		if l.idle(len(got.page.Ids), l.Position.Distinct > known, got.start) {
			return l.stuck("page after page brought nothing new")
		}
		if !more && !l.readTailAgain() {
			return nil
		}
		if err := l.mark(ctx); err != nil {
			return err
		}
	}
	return l.stuck(fmt.Sprintf("the list has not ended after %d pages", maxPages))
}

// advance moves to the next page. more is false at the end of the list.
func (l *Listing) advance(p Page) (more bool, err error) {
	start := l.Position.Start
	l.Position.Start += p.head.Received
	switch {
	case l.Position.Back > 0 && l.Position.Backs < maxBacks:
		l.stepBack(start)
		return true, nil
	case p.head.Next != "" && p.head.Next == l.Position.Cursor:
		return false, l.stuck("the target gives the same cursor again")
	case p.head.Next != "": // also where no cursor was asked for: a target may insist
		l.Position.Mode, l.Position.Cursor, l.Position.At = settings.PageCursor, p.head.Next, l.Now().UTC()
		return true, nil
	}
	return l.Position.Mode == settings.PageIndex && p.head.Received > 0 &&
		(l.Position.Total < 0 || l.Position.Start <= l.Position.Total), nil
}

// mark lets a read that breaks off after this page go on with the next.
func (l *Listing) mark(ctx context.Context) error {
	if l.NoCheckpoints {
		return nil
	}
	at := l.Position
	at.Recent = checkpoint.Pack(l.recent)
	l.Run.State.List = &at
	return l.EmitCheckpoint(ctx)
}

// lost says whether the target no longer knows the position it gave, so that the listing must begin again.
func (l *Listing) lost(err error) bool {
	var d *v1.ErrorDetail
	if l.Position.Cursor == "" || !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil {
		return false
	}
	typ := d.Target.HTTP.SCIMType
	return typ == "expiredCursor" || typ == "invalidCursor" || d.Target.HTTP.Status == 410
}

// restart reads the list from its beginning, not the run: what other lists gave stays.
func (l *Listing) restart() {
	l.Warn(
		"list_restarted",
		"the target forgot its position in the list of "+l.Phase+"; the list is read from its beginning",
		"",
	)
	l.Reset()
	l.restarts++
	l.Quiet = true
	if !l.NoCheckpoints {
		l.Out, l.present = v1.SyncResponse{}, nil
		l.Run.State.Counts, l.Run.State.List = l.Run.State.Before, nil
	}
}

// IDPageSize is the same for pages of ids alone.
func (r *Run) IDPageSize(size int) int {
	if r.Count > 0 {
		return size
	}
	return max(size, min(r.MaxPageSize(r.Provider), settings.SweepCount))
}

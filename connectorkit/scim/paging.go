package scim

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strconv"

	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const (
	maxPages    = 1_000_000 // ends a listing that would never end (CON-4)
	maxStale    = 3         // pages in a row that bring nothing new
	maxBlank    = 100       // pages in a row that bring nothing at all
	maxRestarts = 2         // of a listing whose cursor the target forgot
)

// listing reads all pages of /Users or /Groups, by index or by cursor, and finds out whether it got everything.
type listing struct {
	*reading
	path  string
	phase string
	query url.Values // filter and the like; identical on every page, as RFC 9865 wants it
	size  int
	quiet bool // do not warn of what comes twice

	unmarked bool // a list inside another, which is read again as a whole

	// read takes one page. It may run again for the same page, after a break; forget what the broken run left.
	read func(*target.Response) (onePage, error)

	ahead bool // read leaves everything to page.done, so that the next page may be fetched meanwhile

	at       position
	seen     map[uint64]struct{}
	recent   []uint64
	prints   map[uint64]struct{} // of pages
	stale    int                 // pages in a row without anything new
	front    int                 // as far as pages before a step back reached: up to there nothing new is expected
	blank    int                 // empty pages in a row
	restarts int
	resumed  bool
}

// onePage is one answer of a listing.
type onePage struct {
	head listHead
	ids  []string

	// done takes what was read to its end. first tells of each resource id whether it is seen for the first time.
	done func(ctx context.Context, first func(id string) bool) error
}

// listing begins the paged read of one kind of resource, or goes on with it.
func (r *reading) listing(path, phase, filter string) *listing {
	l := &listing{reading: r, path: path, phase: phase, query: url.Values{}, size: r.size(r.provider)}
	if filter != "" {
		l.query.Set("filter", filter)
	}
	l.reset()
	if from := r.at.List; from != nil && !r.forgotten(from) {
		l.at, l.resumed = *from, true
		l.recent = unpacked(from.Recent)
		for _, h := range l.recent {
			l.seen[h] = struct{}{}
		}
		l.prints[from.Print] = struct{}{}
		return l
	}
	r.at.List, r.at.Counts = nil, r.at.Before
	return l
}

// forgotten says whether the target has let go of a cursor since (RFC 9865 section 4).
func (r *reading) forgotten(at *position) bool {
	timeout := r.provider.cursorTimeout
	return at.Cursor != "" && timeout > 0 && r.now().Sub(at.At) >= timeout
}

// reset goes back to the beginning.
func (l *listing) reset() {
	l.at = position{Mode: l.mode(l.provider), Start: 1, Total: -1, Unsorted: l.at.Unsorted}
	l.seen, l.prints, l.recent, l.stale = map[uint64]struct{}{}, map[uint64]struct{}{}, nil, 0
}

// run reads to the end. After it, doubt says what to think of the result. While a page is taken in, the next one is on
// its way where that can be.
func (l *listing) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var next <-chan fetched
	defer func() {
		if cancel(); next != nil {
			<-next // nothing goes on behind the caller's back
		}
	}()
	for l.at.Pages < maxPages {
		if next == nil {
			next = l.fetchPage(ctx, l.at)
		}
		got := <-next
		if next = nil; got.err != nil {
			if l.unsortable(got.err) {
				l.at.Unsorted = true
				continue
			}
			if l.lost(got.err) && l.restarts < maxRestarts {
				l.restart()
				continue
			}
			return cursorTrouble(got.err)
		}
		if end, err := l.count(got.page); end || err != nil {
			return err
		}
		more, err := l.advance(got.page)
		if err != nil {
			return err
		}
		if more && l.ahead {
			next = l.fetchPage(ctx, l.at)
		}
		known := l.at.Distinct
		if err := got.page.done(ctx, l.first); err != nil {
			return err
		}
		if l.idle(len(got.page.ids), l.at.Distinct > known, got.start) {
			return l.stuck("page after page brought nothing new")
		}
		if !more && !l.secondLook() {
			return nil
		}
		if err := l.mark(ctx); err != nil {
			return err
		}
	}
	return l.stuck(fmt.Sprintf("the list has not ended after %d pages", maxPages))
}

// fetched is a page, or why there is none.
type fetched struct {
	page  onePage
	start int
	err   error
}

// fetchPage asks for the page at a position until it is read to its end.
func (l *listing) fetchPage(ctx context.Context, at position) <-chan fetched {
	out := make(chan fetched, 1)
	ask := func() {
		got := fetched{start: at.Start}
		got.err = l.fetch(ctx, l.request(at), func(resp *target.Response) (err error) {
			got.page, err = l.read(resp)
			return err
		})
		out <- got
	}
	if l.ahead {
		go ask()
	} else {
		ask()
	}
	return out
}

// idle says whether the target leads nowhere: pages follow each other and bring nothing that has not come before.
func (l *listing) idle(resources int, news bool, start int) bool {
	switch {
	case news:
		l.stale, l.blank = 0, 0
	case resources == 0:
		l.blank++ // a target may have empty pages among others (RFC 9865), but not for ever
	case !l.at.Second && start >= l.front:
		l.stale++
	}
	return l.stale >= maxStale || l.blank >= maxBlank
}

func (l *listing) request(at position) target.Request {
	q := maps.Clone(l.query)
	switch at.Mode {
	case pageCursor:
		q.Set("cursor", at.Cursor)
		q.Set("count", strconv.Itoa(l.size))
	case pageIndex:
		if l.sorts(at) {
			q.Set("sortBy", sortKeys[l.phase])
		}
		q.Set("startIndex", strconv.Itoa(at.Start))
		q.Set("count", strconv.Itoa(l.size))
	}
	return target.Request{URL: l.path, Query: q, Phase: l.phase, Stream: l.phase == phaseGroups}
}

// advance moves to the next page. more is false at the end of the list.
func (l *listing) advance(p onePage) (more bool, err error) {
	start := l.at.Start
	l.at.Start += p.head.received
	switch {
	case l.at.Back > 0 && l.at.Backs < maxBacks:
		l.stepBack(start)
		return true, nil
	case p.head.next != "" && p.head.next == l.at.Cursor:
		return false, l.stuck("the target gives the same cursor again")
	case p.head.next != "": // also where no cursor was asked for: a target may insist
		l.at.Mode, l.at.Cursor, l.at.At = pageCursor, p.head.next, l.now().UTC()
		return true, nil
	}
	return l.at.Mode == pageIndex && p.head.received > 0 && (l.at.Total < 0 || l.at.Start <= l.at.Total), nil
}

// secondLook reads the end of the list again, once, where fewer resources came than the target speaks of or where their
// number changed a lot.
func (l *listing) secondLook() bool {
	from := l.at.Tail
	if l.at.Mode != pageIndex || l.at.Second || l.at.Total < 0 || (from == 0 && l.at.Distinct >= l.at.Total) {
		return false
	}
	if from == 0 {
		from = max(1, l.at.Start-2*l.size)
	}
	l.at.Start, l.at.Second, l.quiet, l.stale = from, true, true, 0
	clear(l.prints)
	return true
}

// mark lets a read that breaks off after this page go on with the next.
func (l *listing) mark(ctx context.Context) error {
	if l.unmarked {
		return nil
	}
	at := l.at
	at.Recent = packed(l.recent)
	l.reading.at.List = &at
	return l.milestone(ctx)
}

// lost says whether the target no longer knows the position it gave, so that the listing must begin again.
func (l *listing) lost(err error) bool {
	var d *v1.ErrorDetail
	if l.at.Cursor == "" || !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil {
		return false
	}
	typ := d.Target.HTTP.SCIMType
	return typ == "expiredCursor" || typ == "invalidCursor" || d.Target.HTTP.Status == 410
}

// restart reads the list from its beginning, not the run: what other lists gave stays.
func (l *listing) restart() {
	l.warn(
		"list_restarted",
		"the target forgot its position in the list of "+l.phase+"; the list is read from its beginning",
		"",
	)
	l.reset()
	l.restarts++
	l.quiet = true
	if !l.unmarked {
		l.out, l.present = v1.SyncResponse{}, nil
		l.reading.at.Counts, l.reading.at.List = l.reading.at.Before, nil
	}
}

// largeChange is the part of a list, in percent, whose coming or going in mid-read leaves nothing to rely on (CON-4).
const largeChange = 10

// maxBacks ends the patience with a list that keeps shrinking.
const maxBacks = 100

// count takes note of a page. end is true where it lies past the end of the list.
func (l *listing) count(p onePage) (end bool, err error) {
	head := p.head
	l.at.Pages++
	l.at.Received += head.received
	if l.at.Mode != pageNone && head.received > 2*l.size {
		l.warnOnce(
			"page_too_large",
			fmt.Sprintf("the target sent %d %s where at most %d were asked for", head.received, l.phase, l.size),
		)
	}
	if was := l.at.Total; head.total >= 0 && was >= 0 && head.total != was {
		l.changed(was, head.total)
	}
	if head.total >= 0 {
		l.at.Total = head.total
	}
	switch {
	case !l.repeats(p):
		return false, nil
	case l.at.Total < 0 && head.next == "" && l.at.Mode == pageIndex:
		l.at.Shaky = true // past the end, where some answer page 1 again
		return true, nil
	}
	return false, l.stuck("the target sends the same page again and again")
}

// changed takes note of a list that is not as long as it was.
func (l *listing) changed(was, is int) {
	shrunk := max(was-is, 0)
	switch {
	case 100*max(is-was, was-is) > largeChange*was:
		l.at.Shaky = true
		if l.at.Tail == 0 {
			l.at.Tail = max(1, l.at.Start-shrunk)
		}
	case shrunk == 0:
		// What is new pushes others back, so that they come twice. Only together with what went away that proves
		// nothing.
		l.at.Shaky = l.at.Shaky || l.at.Shrunk > 0
	case l.at.Mode == pageIndex:
		l.at.Back = shrunk
	}
	l.at.Shrunk += shrunk
}

// stepBack reads again from a little before the page at hand: where resources were removed from earlier pages, as many
// have moved from this page's place to the one before, and were passed over.
func (l *listing) stepBack(start int) {
	l.quiet, l.front = true, max(l.front, l.at.Start)
	l.at.Start, l.at.Back = max(1, start-l.at.Back), 0
	if l.at.Backs++; l.at.Backs >= maxBacks {
		l.at.Shaky = true
	}
	clear(l.prints)
}

// repeats recognises a page by its first and last resource and their number.
func (l *listing) repeats(p onePage) bool {
	if len(p.ids) == 0 {
		return false
	}
	l.at.Print = hash64(fmt.Sprintf("%d %q %q", p.head.received, p.ids[0], p.ids[len(p.ids)-1]))
	_, known := l.prints[l.at.Print]
	l.prints[l.at.Print] = struct{}{}
	return known
}

// first says whether a resource is seen for the first time. It keeps 64 bits of each id: 50,000 users need 2 MB.
func (l *listing) first(id string) bool {
	key := hash64(id)
	if _, known := l.seen[key]; known {
		return false
	}
	l.seen[key] = struct{}{}
	l.at.Distinct++
	if l.recent = append(l.recent, key); len(l.recent) > recentIDs {
		l.recent = append(l.recent[:0], l.recent[len(l.recent)-recentIDs:]...)
	}
	return true
}

// doubt says why not everything may have been read, or nothing.
func (l *listing) doubt() string {
	distinct := l.at.Distinct
	switch {
	case l.at.Shaky && l.at.Total < 0:
		return fmt.Sprintf("the target does not say how many %s it has, and began to repeat them", l.phase)
	case l.at.Shaky:
		return fmt.Sprintf("the number of %s changed a lot while they were read", l.phase)
	case l.at.Total >= 0 && (distinct < l.at.Total || distinct > l.at.Total+l.at.Shrunk):
		return fmt.Sprintf("the target speaks of %d %s but gave %d different ones", l.at.Total, l.phase, distinct)
	case l.at.Total < 0 && l.at.Mode == pageIndex && l.at.Received > distinct:
		return fmt.Sprintf("the target does not say how many %s it has, and began to repeat them", l.phase)
	}
	return ""
}

func (l *listing) stuck(why string) error {
	return &v1.ErrorDetail{
		Class: v1.ClassTargetFault, Code: "paging_loop", Phase: l.phase, Message: why + "; reading was ended",
		Hint: "The target does not page as it should. Try another value of pagination (index, cursor or none).",
	}
}

// cursorTrouble names the errors of RFC 9865 section 2.3.
func cursorTrouble(err error) error {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil {
		return err
	}
	named := *d
	switch d.Target.HTTP.SCIMType {
	case "expiredCursor":
		named.Class, named.Code, named.Retryable = v1.ClassTransient, "expired_cursor", true
		named.Hint = "The target forgot the position in its list before all was read. Smaller pages (count) come " +
			"sooner; or set pagination to index."
	case "invalidCursor":
		named.Class, named.Code = v1.ClassTargetFault, "invalid_cursor"
		named.Hint = "The target does not know the position it gave itself. Set pagination to index."
	case "invalidCount":
		named.Class, named.Code = v1.ClassConfig, "invalid_count"
		named.Hint = "The target does not accept the page size. Set count to what it allows."
	default:
		return err
	}
	return &named
}

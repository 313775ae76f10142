package scim

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"net/url"
	"strconv"

	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// maxPages ends a listing that would never end (CON-4).
const maxPages = 1_000_000

// listing reads all pages of /Users or /Groups, by index or by cursor, and finds out whether it got everything.
type listing struct {
	s     *session
	path  string
	phase string
	query url.Values // filter and the like; identical on every page, as RFC 9865 wants it
	mode  string
	size  int

	// read takes one page. It may run again for the same page, after a break; forget what the broken run left.
	read func(*target.Response) (listHead, []string, error)

	// done takes a page that was read to its end. first tells of each resource id whether it is seen for the first time.
	done func(ctx context.Context, first func(id string) bool) error

	total    int // as told by the first page; -1: not told
	pages    int
	received int
	shifted  bool // totalResults changed on the way
	seed     maphash.Seed
	seen     map[uint64]struct{}
	prints   map[uint64]struct{} // of pages
}

// run reads to the end. After it, complete says what to think of the result.
func (l *listing) run(ctx context.Context) error {
	l.seed, l.seen, l.prints = maphash.MakeSeed(), map[uint64]struct{}{}, map[uint64]struct{}{}
	l.total = -1
	start, cursor := 1, ""
	for l.pages < maxPages {
		head, ids, err := l.page(ctx, start, cursor)
		if err != nil {
			return cursorTrouble(err)
		}
		l.count(head)
		if repeated := l.repeats(ids, head); repeated {
			if l.total < 0 {
				return nil // past the end, where some answer page 1 again; complete says that it is not sure
			}
			return l.stuck("the target sends the same page again and again")
		}
		if err := l.done(ctx, l.first); err != nil {
			return err
		}
		start += head.received
		switch {
		case head.next != "" && head.next == cursor:
			return l.stuck("the target gives the same cursor again")
		case head.next != "": // also where no cursor was asked for: a target may insist
			l.mode, cursor = pageCursor, head.next
		case l.mode != pageIndex || head.received == 0 || l.total >= 0 && start > l.total:
			return nil
		}
	}
	return l.stuck(fmt.Sprintf("the list has not ended after %d pages", maxPages))
}

// page asks for one page until it is read to its end.
func (l *listing) page(ctx context.Context, start int, cursor string) (head listHead, ids []string, err error) {
	q := url.Values{}
	for k, v := range l.query {
		q[k] = v
	}
	switch l.mode {
	case pageCursor:
		q.Set("cursor", cursor)
		q.Set("count", strconv.Itoa(l.size))
	case pageIndex:
		q.Set("startIndex", strconv.Itoa(start))
		q.Set("count", strconv.Itoa(l.size))
	}
	ask := target.Request{URL: l.path, Query: q, Phase: l.phase, Stream: l.phase == phaseGroups}
	err = l.s.c.Read(ctx, ask, func(resp *target.Response) (err error) {
		head, ids, err = l.read(resp)
		return err
	})
	return head, ids, err
}

func (l *listing) count(head listHead) {
	l.pages++
	l.received += head.received
	switch {
	case head.total < 0:
	case l.total < 0:
		l.total = head.total
	case head.total != l.total:
		l.total, l.shifted = head.total, true
	}
}

// repeats recognises a page by its first and last resource and their number.
func (l *listing) repeats(ids []string, head listHead) bool {
	if len(ids) == 0 {
		return false
	}
	mark := maphash.String(l.seed, fmt.Sprintf("%d %q %q", head.received, ids[0], ids[len(ids)-1]))
	_, known := l.prints[mark]
	l.prints[mark] = struct{}{}
	return known
}

// first says whether a resource is seen for the first time. It keeps 64 bits of each id: 50,000 users need 2 MB.
func (l *listing) first(id string) bool {
	key := maphash.String(l.seed, id)
	_, known := l.seen[key]
	l.seen[key] = struct{}{}
	return !known
}

// doubt says why not everything may have been read, or nothing.
func (l *listing) doubt() string {
	distinct := len(l.seen)
	switch {
	case l.shifted:
		return fmt.Sprintf("the number of %s changed while they were read", l.phase)
	case l.total >= 0 && distinct != l.total:
		return fmt.Sprintf("the target speaks of %d %s but gave %d different ones", l.total, l.phase, distinct)
	case l.total < 0 && l.mode == pageIndex && l.received > distinct:
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
		named.Hint = "The target forgot the position in its list before all was read. Smaller pages (count) come sooner; or set pagination to index."
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

package syncrun

import (
	"fmt"

	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// idle says whether the target leads nowhere: pages follow each other and bring nothing that has not come before.
func (l *Listing) idle(resources int, news bool, start int) bool {
	switch {
	case news:
		l.stale, l.blank = 0, 0
	case resources == 0:
		l.blank++ // a target may have empty pages among others (RFC 9865), but not for ever
	case !l.Position.Second && start >= l.front:
		l.stale++
	}
	return l.stale >= maxStale || l.blank >= maxBlank
}

// readTailAgain reads the end of the list again, once, where fewer resources came than the target speaks of or where
// their number changed a lot.
func (l *Listing) readTailAgain() bool {
	from := l.Position.Tail
	if l.Position.Mode != settings.PageIndex || l.Position.Second || l.Position.Total < 0 ||
		(from == 0 && l.Position.Distinct >= l.Position.Total) {
		return false
	}
	if from == 0 {
		from = max(1, l.Position.Start-2*l.Size)
	}
	l.Position.Start, l.Position.Second, l.Quiet, l.stale = from, true, true, 0
	clear(l.prints)
	return true
}

// largeChange is the part of a list, in percent, whose coming or going in mid-read leaves nothing to rely on (CON-4).
const largeChange = 10

// maxBacks ends the patience with a list that keeps shrinking.
const maxBacks = 100

// count takes note of a page. end is true where it lies past the end of the list.
func (l *Listing) count(p Page) (end bool, err error) {
	head := p.head
	l.Position.Pages++
	l.Position.Received += head.Received
	if l.Position.Mode != settings.PageNone && head.Received > 2*l.Size {
		l.WarnOnce(
			"page_too_large",
			fmt.Sprintf("the target sent %d %s where at most %d were asked for", head.Received, l.Phase, l.Size),
		)
	}
	if was := l.Position.Total; head.Total >= 0 && was >= 0 && head.Total != was {
		l.changed(was, head.Total)
	}
	if head.Total >= 0 {
		l.Position.Total = head.Total
	}
	switch {
	case !l.repeats(p):
		return false, nil
	case l.Position.Total < 0 && head.Next == "" && l.Position.Mode == settings.PageIndex:
		l.Position.Shaky = true // past the end, where some answer page 1 again
		return true, nil
	}
	return false, l.stuck("the target sends the same page again and again")
}

// changed takes note of a list that is not as long as it was.
func (l *Listing) changed(was, is int) {
	shrunk := max(was-is, 0)
	switch {
	case 100*max(is-was, was-is) > largeChange*was:
		l.Position.Shaky = true
		if l.Position.Tail == 0 {
			l.Position.Tail = max(1, l.Position.Start-shrunk)
		}
	case shrunk == 0:
		// What is new pushes others back, so that they come twice. Only together with what went away that proves
		// nothing.
		l.Position.Shaky = l.Position.Shaky || l.Position.Shrunk > 0
	case l.Position.Mode == settings.PageIndex:
		l.Position.Back = shrunk
	}
	l.Position.Shrunk += shrunk
}

// stepBack reads again from a little before the page at hand: where resources were removed from earlier pages, as many
// have moved from this page's place to the one before, and were passed over.
func (l *Listing) stepBack(start int) {
	l.Quiet, l.front = true, max(l.front, l.Position.Start)
	l.Position.Start, l.Position.Back = max(1, start-l.Position.Back), 0
	if l.Position.Backs++; l.Position.Backs >= maxBacks {
		l.Position.Shaky = true
	}
	clear(l.prints)
}

// repeats recognises a page by its first and last resource and their number.
func (l *Listing) repeats(p Page) bool {
	if len(p.Ids) == 0 {
		return false
	}
	l.Position.Print = checkpoint.Hash(fmt.Sprintf("%d %q %q", p.head.Received, p.Ids[0], p.Ids[len(p.Ids)-1]))
	_, known := l.prints[l.Position.Print]
	l.prints[l.Position.Print] = struct{}{}
	return known
}

// first says whether a resource is seen for the first time. It keeps 64 bits of each id: 50,000 users need 2 MB.
func (l *Listing) first(id string) bool {
	key := checkpoint.Hash(id)
	if _, known := l.seen[key]; known {
		return false
	}
	l.seen[key] = struct{}{}
	l.Position.Distinct++
	if l.recent = append(l.recent, key); len(l.recent) > checkpoint.RecentIDs {
		l.recent = append(l.recent[:0], l.recent[len(l.recent)-checkpoint.RecentIDs:]...)
	}
	return true
}

// Incomplete returns why the list may not have been read completely; empty if it was.
func (l *Listing) Incomplete() string {
	distinct := l.Position.Distinct
	switch {
	case l.Position.Shaky && l.Position.Total < 0:
		return fmt.Sprintf("the target does not report how many %s it has, and began to repeat them", l.Phase)
	case l.Position.Shaky:
		return fmt.Sprintf("the number of %s changed a lot while they were read", l.Phase)
	case l.Position.Total >= 0 && (distinct < l.Position.Total || distinct > l.Position.Total+l.Position.Shrunk):
		return fmt.Sprintf("the target speaks of %d %s but gave %d different ones", l.Position.Total, l.Phase, distinct)
	case l.Position.Total < 0 && l.Position.Mode == settings.PageIndex && l.Position.Received > distinct:
		return fmt.Sprintf("the target does not report how many %s it has, and began to repeat them", l.Phase)
	}
	return ""
}

// stuck is the error of a list that does not end. It is the target's fault and not retried: the
// next try would end the same way.
func (l *Listing) stuck(why string) error {
	return &v1.ErrorDetail{
		Class: v1.ClassTargetFault, Code: "paging_loop", Phase: l.Phase, Message: why + "; reading was ended",
		Hint: "The target does not page as it should. Try another value of pagination (index, cursor or none).",
	}
}

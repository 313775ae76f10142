package paging

import (
	"fmt"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/connectorkit/rest/answer"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// advance takes in what came and reports whether there is another page to ask for.
func (p *Pager) advance(o answer.Page) (bool, error) {
	p.Pages++
	p.Fetched += o.Records
	if o.Records > 0 {
		p.Empty = 0
		if p.seenBefore(o.Digest) {
			return false, p.repeatedPage(o)
		}
		p.Last = o.Digest
	} else {
		p.Empty++
	}
	if err := p.announced(o); err != nil {
		return false, err
	}
	more, err := p.hasNext(o)
	switch {
	case err != nil || !more:
		return false, err
	case p.Empty > maxEmptyPages:
		return false, p.loopError(
			fmt.Sprintf("%d pages in a row were empty and led to yet another", p.Empty),
			"too_many_empty_pages",
		)
	case p.Pages >= p.cfg.MaxPages:
		return false, p.loopError(
			fmt.Sprintf("there are more than max_pages = %d pages", p.cfg.MaxPages),
			"too_many_pages",
		)
	}
	return true, nil
}

// seenBefore reports whether something was met before, and remembers it.
func (p *Pager) seenBefore(digest uint64) bool {
	if p.seen[digest] {
		return true
	}
	p.seen[digest] = true
	return false
}

// announced notes the number of records that an answer announces. Where it changes by more than a tenth the list is
// another one than that which was begun (CON-4).
func (p *Pager) announced(o answer.Page) error {
	total, ok := o.Pick(p.st.Picks.Total)
	n, is := jsonvalue.Int(total)
	if !ok || !is || n < 0 {
		return nil
	}
	if p.Expected = n; p.Announced < 0 {
		p.Announced = n
	}
	if apart := max(n-p.Announced, p.Announced-n); apart*10 <= p.Announced || apart < smallChange {
		return nil
	}
	if !p.Tolerant {
		return &RestartError{
			Code: "totals_changed",
			Why:  fmt.Sprintf("the announced number of records changed from %d to %d", p.Announced, n),
		}
	}
	p.Drifted = true
	return nil
}

// smallChange in the number of records is normal, whatever part of a short list it is.
const smallChange = 5

// RestartError says that a list has to be read from its beginning once more.
type RestartError struct {
	Code, Why string
	// The target's own, where there is one.
	err error
}

// Error says why.
func (r *RestartError) Error() string { return r.Why }

// Unwrap is the target's own error.
func (r *RestartError) Unwrap() error { return r.err }

// Incomplete reports whether the target said that there is more than what came, or something else each time.
func (p *Pager) Incomplete() bool {
	return p.Stuck || p.Drifted || p.Expected >= 0 && p.Fetched < p.Expected
}

// hasNext moves the pager on by the answer and says whether there is another page. A has-more flag
// that says no ends every style. The error is a loop, or a link to another host.
func (p *Pager) hasNext(o answer.Page) (bool, error) {
	d := p.st.Pagination
	hasMore, said := o.Pick(p.st.Picks.More)
	if said && !jsonvalue.Truthy(hasMore) {
		return false, nil
	}
	switch d.Style {
	case stream.StylePage, stream.StyleOffset:
		p.Page++
		p.Offset += o.Records
		// A page shorter than asked for is not the last one: targets cap sizes and filter afterwards. An empty one is,
		// unless the target says otherwise; an offset cannot get past it.
		if o.Records == 0 {
			p.Stuck = said && d.Style == stream.StyleOffset
			return said && d.Style == stream.StylePage, nil
		}
		return p.Expected < 0 || p.Fetched < p.Expected, nil
	case stream.StyleCursor:
		return p.nextCursor(o)
	case stream.StyleKeyset:
		return p.nextKey(o, said)
	case stream.StyleLink:
		return p.follow(linkNext(o.Header))
	case stream.StyleNext:
		return p.follow(p.pickedLink(o))
	case stream.StyleAuto:
		if link := linkNext(o.Header); link != "" {
			return p.follow(link)
		}
		return p.follow(p.pickedLink(o))
	}
	return false, nil
}

// nextCursor takes the next cursor, from a header or the body. A cursor that came before is a loop,
// unless it came with an empty page, by which some targets say that this was the last.
func (p *Pager) nextCursor(o answer.Page) (bool, error) {
	token := ""
	if name := p.st.Pagination.CursorHeader; name != "" {
		token = o.Header.Get(name)
	}
	if v, ok := o.Pick(p.st.Picks.Cursor); ok && token == "" {
		token, _ = jsonvalue.Text(v)
	}
	switch {
	case token == "":
		return false, nil
	case token == p.Token && o.Records == 0:
		return false, nil // the end, as some targets tell it
	case token == p.Token || p.seenBefore(answer.Hash("token "+token)):
		return false, p.loopError("the target gave a cursor that it had given before", "repeated_cursor")
	}
	p.Token = token
	return true, nil
}

// nextKey goes on behind the last record. An empty page is the end, whatever the target says.
func (p *Pager) nextKey(o answer.Page, said bool) (bool, error) {
	switch {
	case o.Records == 0:
		p.Stuck = said
		return false, nil
	case o.LastKey == "":
		return false, p.loopError("the last record has no key to go on behind", "record_without_key")
	case o.LastKey == p.Token || p.seenBefore(answer.Hash("token "+o.LastKey)):
		return false, p.loopError("a page ends with the same record as one before", "repeated_cursor")
	}
	p.Token = o.LastKey
	return p.Expected < 0 || p.Fetched < p.Expected, nil
}

// repeatedPage is the error of two pages with the same keys. Keys that are not unique make any two pages look so.
func (p *Pager) repeatedPage(o answer.Page) error {
	why := o.Repeats.Explain(p.st)
	if why == "" {
		return p.loopError("the same records came on two pages", "repeated_page")
	}
	return &v1.ErrorDetail{
		Class: v1.ClassConfig, Code: "keys_not_unique", Phase: p.st.Name,
		Message: fmt.Sprintf(
			"reading %s was stopped after page %d, whose keys are those of a page before: %s",
			p.st.Name,
			p.Pages,
			why,
		),
		Hint: "Set key_path to a member that is different in each record, such as its id.",
	}
}

// loopError is the error for a target whose pages do not come to an end.
func (p *Pager) loopError(what, code string) error {
	return &v1.ErrorDetail{
		Class: v1.ClassTargetFault, Code: code, Phase: p.st.Name,
		Message: fmt.Sprintf("reading %s was stopped after page %d: %s", p.st.Name, p.Pages, what),
		Hint: "The target probably ignores a paging parameter. " +
			"Check the stream's pagination against the target's documentation.",
	}
}

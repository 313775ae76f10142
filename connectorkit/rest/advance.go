package rest

import (
	"fmt"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// advance takes in what came and tells whether there is another page to ask for.
func (p *pager) advance(o outcome) (bool, error) {
	p.Pages++
	p.Fetched += o.records
	if o.records > 0 {
		p.Empty = 0
		if p.again(o.digest) {
			return false, p.alike(o)
		}
		p.Last = o.digest
	} else {
		p.Empty++
	}
	if err := p.announced(o); err != nil {
		return false, err
	}
	more, err := p.step(o)
	switch {
	case err != nil || !more:
		return false, err
	case p.Empty > maxEmptyPages:
		return false, p.loop(fmt.Sprintf("%d pages in a row were empty and led to yet another", p.Empty), "too_many_empty_pages")
	case p.Pages >= p.cfg.maxPages:
		return false, p.loop(fmt.Sprintf("there are more than max_pages = %d pages", p.cfg.maxPages), "too_many_pages")
	}
	return true, nil
}

// again tells whether something was met before, and remembers it.
func (p *pager) again(digest uint64) bool {
	if p.seen[digest] {
		return true
	}
	p.seen[digest] = true
	return false
}

// announced notes the number of records that an answer announces. Where it changes by more than a tenth the list is another
// one than that which was begun (CON-4).
func (p *pager) announced(o outcome) error {
	total, ok := o.pick(p.st.picks.total)
	n, is := intOf(total)
	if !ok || !is || n < 0 {
		return nil
	}
	if p.Expected = n; p.Announced < 0 {
		p.Announced = n
	}
	if apart := max(n-p.Announced, p.Announced-n); apart*10 <= p.Announced || apart < smallChange {
		return nil
	}
	if !p.lenient {
		return &relist{code: "totals_changed", why: fmt.Sprintf("the announced number of records changed from %d to %d", p.Announced, n)}
	}
	p.Drifted = true
	return nil
}

// smallChange in the number of records is normal, whatever part of a short list it is.
const smallChange = 5

// relist says that a list has to be read from its beginning once more.
type relist struct {
	code, why string
	err       error // the target's own, where there is one
}

// Error says why.
func (r *relist) Error() string { return r.why }

// Unwrap is the target's own error.
func (r *relist) Unwrap() error { return r.err }

// short tells whether the target said that there is more than what came, or something else each time.
func (p *pager) short() bool {
	return p.Stuck || p.Drifted || p.Expected >= 0 && p.Fetched < p.Expected
}

func (p *pager) step(o outcome) (bool, error) {
	d := p.st.Pagination
	hasMore, said := o.pick(p.st.picks.more)
	if said && !truthy(hasMore) {
		return false, nil
	}
	switch d.Style {
	case stylePage, styleOffset:
		p.Page++
		p.Offset += o.records
		// A page shorter than asked for is not the last one: targets cap sizes and filter afterwards. An empty one is, unless
		// the target says otherwise; an offset cannot get past it.
		if o.records == 0 {
			p.Stuck = said && d.Style == styleOffset
			return said && d.Style == stylePage, nil
		}
		return p.Expected < 0 || p.Fetched < p.Expected, nil
	case styleCursor:
		return p.stepCursor(o)
	case styleKeyset:
		return p.stepKey(o, said)
	case styleLink:
		return p.follow(linkNext(o.header))
	case styleNext:
		return p.follow(p.pickedLink(o))
	case styleAuto:
		if link := linkNext(o.header); link != "" {
			return p.follow(link)
		}
		return p.follow(p.pickedLink(o))
	}
	return false, nil
}

func (p *pager) stepCursor(o outcome) (bool, error) {
	token := ""
	if name := p.st.Pagination.CursorHeader; name != "" {
		token = o.header.Get(name)
	}
	if v, ok := o.pick(p.st.picks.cursor); ok && token == "" {
		token, _ = textOf(v)
	}
	switch {
	case token == "":
		return false, nil
	case token == p.Token && o.records == 0:
		return false, nil // the end, as some targets tell it
	case token == p.Token || p.again(hashOf("token "+token)):
		return false, p.loop("the target gave a cursor that it had given before", "repeated_cursor")
	}
	p.Token = token
	return true, nil
}

// stepKey goes on behind the last record. An empty page is the end, whatever the target says.
func (p *pager) stepKey(o outcome, said bool) (bool, error) {
	switch {
	case o.records == 0:
		p.Stuck = said
		return false, nil
	case o.lastKey == "":
		return false, p.loop("the last record has no key to go on behind", "record_without_key")
	case o.lastKey == p.Token || p.again(hashOf("token "+o.lastKey)):
		return false, p.loop("a page ends with the same record as one before", "repeated_cursor")
	}
	p.Token = o.lastKey
	return p.Expected < 0 || p.Fetched < p.Expected, nil
}

// pickedLink is the next link in the body. Where we look by ourselves, only what can be an address counts.
func (p *pager) pickedLink(o outcome) string {
	for _, i := range p.st.picks.next {
		v, _ := o.pick(i)
		link, ok := v.(string)
		if !ok || link == "" {
			continue
		}
		if !p.st.auto || strings.Contains(link, "://") || strings.HasPrefix(link, "/") || strings.HasPrefix(link, "?") {
			return link
		}
	}
	return ""
}

// follow makes link the next request. Other hosts are refused by the client, which knows where credentials may go.
func (p *pager) follow(link string) (bool, error) {
	if link == "" {
		return false, nil
	}
	u, err := p.asked.Parse(link)
	if err != nil {
		return false, &v1.ErrorDetail{
			Class: v1.ClassTargetFault, Code: "bad_next_link", Phase: p.st.Name, Message: "the target's link to the next page is no URL",
		}
	}
	u.Fragment, u.RawFragment = "", ""
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if p.cfg.keyParam != "" {
		// The key is put on by the client again.
		q := u.Query()
		q.Del(p.cfg.keyParam)
		u.RawQuery = q.Encode()
	}
	if link := u.String(); p.next != nil && link == p.next.String() || p.again(hashOf("link "+link)) {
		return false, p.loop("the link to the next page leads back to one that was read", "repeated_link")
	}
	p.next = u
	return true, nil
}

// alike is the error of two pages with the same keys. Keys that are not unique make any two pages look so.
func (p *pager) alike(o outcome) error {
	why := o.repeats.why(p.st)
	if why == "" {
		return p.loop("the same records came on two pages", "repeated_page")
	}
	return &v1.ErrorDetail{
		Class: v1.ClassConfig, Code: "keys_not_unique", Phase: p.st.Name,
		Message: fmt.Sprintf("reading %s was stopped after page %d, whose keys are those of a page before: %s", p.st.Name, p.Pages, why),
		Hint:    "Set key_path to a member that is different in each record, such as its id.",
	}
}

func (p *pager) loop(what, code string) error {
	return &v1.ErrorDetail{
		Class: v1.ClassTargetFault, Code: code, Phase: p.st.Name,
		Message: fmt.Sprintf("reading %s was stopped after page %d: %s", p.st.Name, p.Pages, what),
		Hint:    "The target probably ignores a paging parameter. Check the stream's pagination against the target's documentation.",
	}
}

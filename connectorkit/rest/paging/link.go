package paging

import (
	"net/http"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/rest/answer"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// pickedLink is the next link in the body. Where we look by ourselves, only what can be an address counts.
func (p *Pager) pickedLink(o answer.Page) string {
	for _, i := range p.st.Picks.Next {
		v, _ := o.Pick(i)
		link, ok := v.(string)
		if !ok || link == "" {
			continue
		}
		if !p.st.Detected || strings.Contains(link, "://") || strings.HasPrefix(link, "/") ||
			strings.HasPrefix(link, "?") {
			return link
		}
	}
	return ""
}

// follow makes link the next request. Other hosts are refused by the client, which knows where credentials may go.
func (p *Pager) follow(link string) (bool, error) {
	if link == "" {
		return false, nil
	}
	u, err := p.asked.Parse(link)
	if err != nil {
		return false, &v1.ErrorDetail{
			Class: v1.ClassTargetFault, Code: "bad_next_link", Phase: p.st.Name,
			Message: "the target's link to the next page is no URL",
		}
	}
	u.Fragment = ""
	u.RawFragment = ""
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if p.cfg.KeyParam != "" {
		// The key is put on by the client again.
		q := u.Query()
		q.Del(p.cfg.KeyParam)
		u.RawQuery = q.Encode()
	}
	if link := u.String(); p.next != nil && link == p.next.String() || p.seenBefore(answer.Hash("link "+link)) {
		return false, p.loopError("the link to the next page leads back to one that was read", "repeated_link")
	}
	p.next = u
	return true, nil
}

// linkNext finds the target of rel="next" in Link headers (RFC 8288).
func linkNext(h http.Header) string {
	for _, line := range h.Values("Link") {
		for rest := line; ; {
			_, after, ok := strings.Cut(rest, "<")
			if !ok {
				break
			}
			link, params, ok := strings.Cut(after, ">")
			if !ok {
				break
			}
			var next bool
			next, rest = relNext(params)
			if next {
				return strings.TrimSpace(link)
			}
		}
	}
	return ""
}

// relNext reads the parameters of one link up to the comma that ends it, and gives what is behind. Only the first rel
// counts.
func relNext(params string) (next bool, rest string) {
	for first := true; ; {
		end := unquoted(params)
		name, value, _ := strings.Cut(strings.TrimSpace(params[:end]), "=")
		if first && strings.EqualFold(strings.TrimSpace(name), "rel") {
			first = false
			for _, rel := range strings.Fields(strings.Trim(strings.TrimSpace(value), `"`)) {
				next = next || strings.EqualFold(rel, "next")
			}
		}
		if end == len(params) || params[end] == ',' {
			return next, params[end:]
		}
		params = params[end+1:]
	}
}

// unquoted is where the first comma or semicolon outside of quotes stands, or the length of the text.
func unquoted(text string) int {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case (c == ',' || c == ';') && !quoted:
			return i
		}
	}
	return len(text)
}

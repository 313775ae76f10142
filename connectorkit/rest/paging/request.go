package paging

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	"github.com/grantwright/grantwright/connectorkit/target"
)

// params are what the next page is asked for with.
func (p *Pager) params() map[string]any {
	d := p.st.Pagination
	out := map[string]any{}
	for name, value := range p.Since {
		out[name] = value
	}
	if d.SizeParam != "" && d.Style != stream.StyleNone {
		out[d.SizeParam] = p.Size
	}
	switch d.Style {
	case stream.StylePage:
		out[d.PageParam] = p.Page
	case stream.StyleOffset:
		out[d.OffsetParam] = p.Offset
	case stream.StyleCursor, stream.StyleKeyset:
		if p.Token != "" {
			out[d.CursorParam] = p.Token
		}
	}
	return out
}

// Request is the request for the next page. at fills the placeholders.
func (p *Pager) Request(at *stream.ParentRecord) (target.Request, error) {
	st := p.st
	r := target.Request{
		Method: st.Request.Method, Phase: st.Name, Repeatable: true, Header: http.Header{}, Query: url.Values{},
		Stream: st.Plan == nil || st.Plan.Streams(),
	}
	if len(st.Error.Rules) > 0 {
		r.Judge = st.Classify
	}
	r.MessageAt = st.Verdict.MessageReader()
	for _, name := range jsonvalue.SortedKeys(st.Request.Headers) {
		r.Header.Set(name, at.Fill(st.Request.Headers[name], nil))
	}
	body := at.FillAll(st.Request.Body)
	if p.next != nil {
		r.URL = p.next.String()
		p.asked = p.next
		return r, EncodeBody(&r, body)
	}
	r.URL = at.Fill(st.Request.Path, url.PathEscape)
	for name, values := range p.cfg.Query {
		r.Query[name] = values
	}
	for name, value := range st.Request.Query {
		r.Query.Set(name, at.Fill(string(value), nil))
	}
	if st.Pagination.In == "body" {
		object, _ := body.(map[string]any)
		if object == nil {
			object = map[string]any{}
		}
		// A dotted name is a member of a member, such as variables.after of GraphQL.
		for name, value := range p.params() {
			jsonvalue.SetPath(object, strings.Split(name, "."), value)
		}
		body = object
	} else {
		for name, value := range p.params() {
			r.Query.Set(name, fmt.Sprint(value))
		}
	}
	p.asked = address(p.cfg, r)
	return r, EncodeBody(&r, body)
}

// EncodeBody sets the JSON body of a request, with its Content-Type unless the stream names one. A nil body sets
// nothing.
func EncodeBody(r *target.Request, body any) error {
	if body == nil {
		return nil
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode the body of %s: %w", r.Phase, err)
	}
	r.Body = encoded
	if r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return nil
}

// address is the absolute URL of a request, against which relative links are read.
func address(c *stream.Config, r target.Request) *url.URL {
	rel, err := url.Parse(strings.TrimPrefix(r.URL, "/"))
	if err != nil || rel.Path == "" {
		return c.Base
	}
	return c.Base.JoinPath(rel.EscapedPath())
}

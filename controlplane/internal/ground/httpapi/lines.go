package httpapi

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// MaxLines bounds the bodies of routes that take lines.
const MaxLines = 32 << 20 // bytes

// lineMedia are the media types of lines, with the names that the API gives them.
var lineMedia = map[string]string{"text/csv": "csv", "application/x-ndjson": "ndjson", "application/jsonl": "ndjson"}

// Lines lets the route take CSV or newline-delimited JSON as it is, beside a JSON object with the members format and
// data. Its handler sees the object either way.
func (r Route) Lines() Route { r.lines = true; return r }

// bringsLines reports whether a request sends lines to a route that takes them.
func (a *API) bringsLines(r *http.Request) bool {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || lineMedia[media] == "" || len(a.lines) == 0 {
		return false
	}
	return a.lines[r.Method+" "+a.Router.Find(chi.NewRouteContext(), r.Method, r.URL.Path)]
}

// enclosed is a body of lines as the JSON object that it stands for.
func enclosed(r *http.Request, body []byte) ([]byte, error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return nil, fault.Coded(fault.Malformed, "unsupported_media_type", "the media type cannot be read")
	}
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return nil, fault.Coded(fault.Malformed, "unsupported_media_type", "the lines must be UTF-8")
	}
	if !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 {
		return nil, fault.Coded(
			fault.Malformed,
			"invalid_encoding",
			"the body is not valid UTF-8, or holds the character NUL",
		)
	}
	whole, err := json.Marshal(map[string]string{"format": lineMedia[media], "data": string(body)})
	if err != nil {
		return nil, fault.New(fault.Malformed, "the body could not be read")
	}
	r.Header.Set("Content-Type", "application/json")
	return whole, nil
}

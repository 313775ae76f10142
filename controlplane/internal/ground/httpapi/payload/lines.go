package payload

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// LineMedia are the media types of lines, with the names that the API gives them.
var LineMedia = map[string]string{"text/csv": "csv", "application/x-ndjson": "ndjson", "application/jsonl": "ndjson"}

// EncloseLines converts a body of lines to a JSON object with the members format and data. It sets the request's
// Content-Type to JSON.
func EncloseLines(r *http.Request, body []byte) ([]byte, error) {
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
	whole, err := json.Marshal(map[string]string{"format": LineMedia[media], "data": string(body)})
	if err != nil {
		return nil, fault.New(fault.Malformed, "the body could not be read")
	}
	r.Header.Set("Content-Type", "application/json")
	return whole, nil
}

package response

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Response is a SyncResponse whose records are not decoded yet. Absent members are distinguished from those that
// are empty.
type Response struct {
	Success      *bool           `json:"success"`
	Identities   json.RawMessage `json:"identities"`
	Accounts     json.RawMessage `json:"accounts"`
	Entitlements json.RawMessage `json:"entitlements"`
	Grants       json.RawMessage `json:"grants"`
	Error        *string         `json:"error"`
	Page         *PageInfo       `json:"page"`
	ErrorDetail  json.RawMessage `json:"error_detail"`
}

// PageInfo is v1.Page as services may write it: has_more and the count of a scope may be left out.
type PageInfo struct {
	HasMore       *bool        `json:"has_more"`
	NextPageToken string       `json:"next_page_token"`
	Checkpoint    string       `json:"checkpoint"`
	Cursor        string       `json:"cursor"`
	Scopes        []scopeIn    `json:"scopes"`
	Stats         *v1.Stats    `json:"stats"`
	Warnings      []v1.Warning `json:"warnings"`
	Estimate      *v1.Estimate `json:"estimate"`
	Watermark     *time.Time   `json:"watermark"`
	Read          *v1.Read     `json:"read"`
	Present       []v1.Present `json:"present"`
}

type scopeIn struct {
	Kind     v1.ObjectKind `json:"kind"`
	Key      string        `json:"key"`
	Complete bool          `json:"complete"`
	Count    *int          `json:"count"`
}

// More says whether others follow. A token to go on with says so too.
func (p *PageInfo) More() bool {
	if p == nil {
		return false
	}
	if p.HasMore != nil {
		return *p.HasMore
	}
	return p.NextPageToken != ""
}

// Violation is what does not keep to the protocol, with its place.
type Violation struct{ What string }

// Error names the place.
func (m *Violation) Error() string { return m.What }

// Parse reads a SyncResponse and holds it against the protocol, but for its records.
func Parse(doc []byte) (*Response, error) {
	var e Response
	if bytes.HasPrefix(bytes.TrimSpace(doc), []byte("[")) {
		return nil, &Violation{"the answer is a list; a SyncResponse is an object"}
	}
	if err := json.Unmarshal(doc, &e); err != nil {
		return nil, &Violation{Explain(err)}
	}
	if e.Success == nil {
		return nil, &Violation{"success is missing"}
	}
	if *e.Success && e.Error != nil {
		return nil, &Violation{"success is true although error is set: " + *e.Error}
	}
	return &e, e.Page.check()
}

// Bounds of the opaque texts of a page in bytes, and of its lists. Checkpoint and cursor leave room for what is kept
// with them.
const (
	maxToken    = 4 << 10
	maxOpaque   = 60 << 10
	maxScopes   = 10000
	MaxWarnings = 100
)

func (p *PageInfo) check() error {
	if p == nil {
		return nil
	}
	for _, text := range []struct {
		name, value string
		most        int
	}{{"next_page_token", p.NextPageToken, maxToken}, {"checkpoint", p.Checkpoint, maxOpaque},
		{"cursor", p.Cursor, maxOpaque}} {
		if len(text.value) > text.most {
			return &Violation{fmt.Sprintf("page.%s is longer than %d KiB", text.name, text.most>>10)}
		}
		if bytes.IndexByte([]byte(text.value), 0) >= 0 {
			return &Violation{fmt.Sprintf("page.%s holds the character NUL", text.name)}
		}
	}
	if len(p.Scopes) > maxScopes {
		return &Violation{fmt.Sprintf("page.scopes has more than %d members", maxScopes)}
	}
	for i, s := range p.Scopes {
		if !isKind(s.Kind) || s.Key == "" || s.Count != nil && *s.Count < 0 {
			return &Violation{fmt.Sprintf("page.scopes[%d] needs a kind of record, a key and no negative count", i)}
		}
	}
	named := 0
	for i, there := range p.Present {
		if named += len(there.ExternalIDs); !isKind(there.Kind) || named > v1.MaxPresent {
			return &Violation{
				fmt.Sprintf(
					"page.present[%d] needs a kind of record, and all together name %d at most",
					i,
					v1.MaxPresent,
				),
			}
		}
	}
	return nil
}

var AllKinds = []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants}

func isKind(k v1.ObjectKind) bool {
	switch k {
	case v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants:
		return true
	}
	return false
}

// records are those of one kind in an answer, read one after the other.
type records struct {
	kind v1.ObjectKind
	dec  *json.Decoder
	room *int // records that the answer may still have, of all kinds
	raw  json.RawMessage
}

// next gives the next record as it came, until the one after it is read; nil at the end of the list, and where there is
// none.
func (r *records) next() (json.RawMessage, error) {
	if r == nil {
		return nil, nil
	}
	if r.dec.InputOffset() == 0 {
		if _, err := r.dec.Token(); err != nil {
			return nil, &Violation{string(r.kind) + " is no list"}
		}
	}
	if !r.dec.More() {
		return nil, nil
	}
	if *r.room--; *r.room < 0 {
		return nil, &Violation{
			fmt.Sprintf("it has more than %d records; send them in pages, or as a stream of lines", MaxRecords),
		}
	}
	if err := r.dec.Decode(&r.raw); err != nil {
		return nil, &Violation{string(r.kind) + ": " + Explain(err)}
	}
	return r.raw, nil
}

// list gives the records of a kind, for which there is so much room; nil where the member is not there.
func (e *Response) list(kind v1.ObjectKind, room *int) (*records, error) {
	raw := map[v1.ObjectKind]json.RawMessage{v1.Identities: e.Identities, v1.Accounts: e.Accounts,
		v1.Entitlements: e.Entitlements, v1.Grants: e.Grants}[kind]
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if first := bytes.TrimSpace(raw); len(first) == 0 || first[0] != '[' {
		return nil, &Violation{string(kind) + " is no list"}
	}
	return &records{kind: kind, dec: json.NewDecoder(bytes.NewReader(raw)), room: room}, nil
}

// Explain says where JSON does not fit, without repeating a value.
func Explain(err error) string {
	var (
		typ    *json.UnmarshalTypeError
		syntax *json.SyntaxError
		moment *time.ParseError
	)
	switch {
	case errors.As(err, &typ) && typ.Field == "":
		return fmt.Sprintf("there is %s where %s is expected", article(typ.Value), wanted(typ.Type))
	case errors.As(err, &typ):
		return fmt.Sprintf("%s has %s where %s is expected", typ.Field, article(typ.Value), wanted(typ.Type))
	case errors.As(err, &syntax):
		return fmt.Sprintf("it is not valid JSON near byte %d", syntax.Offset)
	case errors.As(err, &moment):
		return "there is a time that is not written as RFC 3339 has it"
	}
	return "it is not valid JSON"
}

func article(value string) string {
	if value == "array" || value == "object" {
		return "an " + value
	}
	// Numbers come with their text.
	if len(value) >= 6 && value[:6] == "number" {
		return "a number"
	}
	if value == "bool" {
		return "a boolean"
	}
	return "a " + value
}

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "a boolean"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		if t == reflect.TypeFor[time.Time]() {
			return "a time"
		}
		return "an object"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	}
	return "another kind of value"
}

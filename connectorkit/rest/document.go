package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// document is a stream as users write it.
type document struct {
	Name            string             `json:"name"`
	Object          string             `json:"object"` // identity, account, user, entitlement, grant
	Request         requestDocument    `json:"request"`
	RecordSelector  string             `json:"record_selector"`
	RecordFilter    string             `json:"record_filter"`
	KeyPath         string             `json:"key_path"`
	NativeRefPath   string             `json:"native_ref_path"`
	Fields          map[string]string  `json:"fields"`
	Pagination      paginationDocument `json:"pagination"`
	Parent          *parentDocument    `json:"parent"`
	Explode         explodeDocuments   `json:"explode"`
	Error           errorDocument      `json:"error"`
	EntitlementKind string             `json:"entitlement_kind"`

	Incremental *incrementalDocument `json:"incremental"`
	Presence    *listDocument        `json:"presence"`

	auto bool // made by ourselves: finds list, key and next page
}

type requestDocument struct {
	Method  string            `json:"method"` // GET, POST
	Path    string            `json:"path"`
	Query   map[string]plain  `json:"query"`
	Headers map[string]string `json:"headers"`
	Body    any               `json:"body"`
}

type paginationDocument struct {
	Style        string `json:"style"` // none, page, offset, cursor, keyset, link_header, next_url
	PageParam    string `json:"page_param"`
	SizeParam    string `json:"size_param"`
	Size         int    `json:"size"`
	Start        *int   `json:"start"`
	OffsetParam  string `json:"offset_param"`
	LimitParam   string `json:"limit_param"`
	CursorParam  string `json:"cursor_param"`
	CursorPath   string `json:"cursor_path"`
	CursorHeader string `json:"cursor_header"`
	HasMorePath  string `json:"has_more_path"`
	NextURLPath  string `json:"next_url_path"`
	TotalPath    string `json:"total_path"`
	In           string `json:"in"` // query, body: where the parameters go
}

type parentDocument struct {
	Stream      string `json:"stream"`
	KeyPath     string `json:"key_path"` // in the parent's record; default: its key
	Param       string `json:"param"`    // name of the placeholder, default id
	Concurrency int    `json:"concurrency"`
}

type explodeDocument struct {
	Path            string `json:"path"`
	As              string `json:"as"` // grant, entitlement, both
	KeyPath         string `json:"key_path"`
	NamePath        string `json:"name_path"`
	EntitlementKind string `json:"entitlement_kind"`
	Principal       string `json:"principal"` // account, entitlement: what the elements are when the record is an entitlement
}

type errorDocument struct {
	SuccessPath string         `json:"success_path"`
	MessagePath string         `json:"message_path"`
	Rules       []ruleDocument `json:"rules"`
}

// ruleDocument says what an answer that is an error means. It applies where all that it names fits.
type ruleDocument struct {
	Status   int    `json:"status"`
	Contains string `json:"contains"` // in the target's words, whatever their case
	Action   string `json:"action"`   // fail, retry, ignore, rate_limited
}

// incrementalDocument says how to ask a list for what has changed since a moment.
type incrementalDocument struct {
	Param           string           `json:"param"`
	Format          string           `json:"format"` // rfc3339, epoch_s, epoch_ms, date
	Field           string           `json:"field"`  // of the record: when it was changed
	OverlapS        *int             `json:"overlap_s"`
	UpperBoundParam string           `json:"upper_bound_param"`
	Deletes         *deletesDocument `json:"deletes"`
}

// deletesDocument says how a target tells what was deleted: by a value in the record, by a list of its own, or by a stream.
type deletesDocument struct {
	Field  string `json:"field"`
	Value  *plain `json:"value"` // nil: whatever says yes
	Stream string `json:"stream"`
	listDocument
}

// listDocument is a list beside a stream's own, asked for in the same way.
type listDocument struct {
	Path           string           `json:"path"`
	Query          map[string]plain `json:"query"`
	RecordSelector string           `json:"record_selector"`
	KeyPath        string           `json:"key_path"`
}

// plain is a text that may be written as a number or boolean.
type plain string

// UnmarshalJSON takes any scalar.
func (p *plain) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err == nil {
		*p = plain(s)
		return nil
	}
	if len(b) > 0 && (b[0] == '{' || b[0] == '[') {
		return &json.UnmarshalTypeError{Value: "object or list", Field: "query"}
	}
	*p = plain(b)
	return nil
}

// explodeDocuments may be written as one object or as a list of them.
type explodeDocuments []explodeDocument

// UnmarshalJSON takes both forms and refuses unknown members, which the outer decoder no longer sees in here.
func (e *explodeDocuments) UnmarshalJSON(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("[")) {
		var list []explodeDocument
		if err := dec.Decode(&list); err != nil {
			return err
		}
		*e = list
		return nil
	}
	var one explodeDocument
	if err := dec.Decode(&one); err != nil {
		return err
	}
	*e = explodeDocuments{one}
	return nil
}

// documentsOf reads the setting streams: a list of objects, or the same as JSON text.
func documentsOf(setting any) ([]document, error) {
	if setting == nil || setting == "" {
		return nil, nil
	}
	text, ok := setting.(string)
	if !ok {
		encoded, err := json.Marshal(setting)
		if err != nil {
			return nil, errors.New("streams must be a list of JSON objects")
		}
		text = string(encoded)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return nil, errors.New("streams must be a list of JSON objects")
	}
	out := make([]document, len(raw))
	for i, one := range raw {
		if err := strict(one, &out[i]); err != nil {
			return nil, fmt.Errorf("streams[%d]%s: %w", i, named(out[i].Name), err)
		}
	}
	return out, nil
}

// strict decodes one JSON object and names what does not belong there.
func strict(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	err := dec.Decode(into)
	var typ *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &typ) && typ.Field == "":
		return errors.New("must be a JSON object")
	case errors.As(err, &typ):
		return fmt.Errorf("%s must not be a JSON %s", typ.Field, typ.Value)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("must be a JSON object")
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("unknown member %s", name)
	}
	return err
}

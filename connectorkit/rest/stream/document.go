package stream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
)

// Definition is a stream as users write it.
type Definition struct {
	Name string `json:"name"`
	// Identity, account, user, entitlement, grant.
	Object          string               `json:"object"`
	Request         RequestDefinition    `json:"request"`
	RecordSelector  string               `json:"record_selector"`
	RecordFilter    string               `json:"record_filter"`
	KeyPath         string               `json:"key_path"`
	NativeRefPath   string               `json:"native_ref_path"`
	Fields          map[string]string    `json:"fields"`
	Pagination      PaginationDefinition `json:"pagination"`
	Parent          *ParentDefinition    `json:"parent"`
	Explode         ExplodeDefinitions   `json:"explode"`
	Error           ErrorDefinition      `json:"error"`
	EntitlementKind string               `json:"entitlement_kind"`

	Incremental *IncrementalDefinition `json:"incremental"`
	Presence    *ListDefinition        `json:"presence"`

	// Made by ourselves: finds list, key and next page.
	Detected bool
}

// RequestDefinition is the request that lists records. Placeholders in braces stand for keys of parent records.
type RequestDefinition struct {
	// GET, POST.
	Method  string                `json:"method"`
	Path    string                `json:"path"`
	Query   map[string]ScalarText `json:"query"`
	Headers map[string]string     `json:"headers"`
	Body    any                   `json:"body"`
}

// PaginationDefinition says how one page leads to the next. Which members apply depends on Style; the others are
// ignored.
type PaginationDefinition struct {
	// None, page, offset, cursor, keyset, link_header, next_url.
	Style        string `json:"style"`
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
	// Query, body: where the parameters go.
	In string `json:"in"`
}

// ParentDefinition names the stream whose records this stream is read for, one list for each of them.
type ParentDefinition struct {
	Stream string `json:"stream"`
	// In the parent's record; default: its key.
	KeyPath string `json:"key_path"`
	// Name of the placeholder, default id.
	Param       string `json:"param"`
	Concurrency int    `json:"concurrency"`
}

// ExplodeDefinition makes grants, entitlements or both of the elements of an array in a record.
type ExplodeDefinition struct {
	Path string `json:"path"`
	// Grant, entitlement, both.
	As              string `json:"as"`
	KeyPath         string `json:"key_path"`
	NamePath        string `json:"name_path"`
	EntitlementKind string `json:"entitlement_kind"`
	// Account, entitlement: what the elements are when the record is an entitlement.
	Principal string `json:"principal"`
}

// ErrorDefinition finds failures in answers of status 200, and gives errors of the target another meaning.
type ErrorDefinition struct {
	SuccessPath string           `json:"success_path"`
	MessagePath string           `json:"message_path"`
	Rules       []RuleDefinition `json:"rules"`
}

// RuleDefinition says what an answer that is an error means. It applies where all that it names fits.
type RuleDefinition struct {
	Status int `json:"status"`
	// In the target's words, whatever their case.
	Contains string `json:"contains"`
	// Fail, retry, ignore, rate_limited.
	Action string `json:"action"`
}

// IncrementalDefinition says how to ask a list for what has changed since a moment.
type IncrementalDefinition struct {
	Param string `json:"param"`
	// Rfc3339, epoch_s, epoch_ms, date.
	Format string `json:"format"`
	// Of the record: when it was changed.
	Field           string             `json:"field"`
	OverlapS        *int               `json:"overlap_s"`
	UpperBoundParam string             `json:"upper_bound_param"`
	Deletes         *DeletesDefinition `json:"deletes"`
}

// DeletesDefinition is how a target reports deleted records: by a value in the record, by a list of its own, or by a
// stream.
type DeletesDefinition struct {
	Field string `json:"field"`
	// Nil: whatever says yes.
	Value  *ScalarText `json:"value"`
	Stream string      `json:"stream"`
	ListDefinition
}

// ListDefinition is a list beside a stream's own, asked for in the same way.
type ListDefinition struct {
	Path           string                `json:"path"`
	Query          map[string]ScalarText `json:"query"`
	RecordSelector string                `json:"record_selector"`
	KeyPath        string                `json:"key_path"`
}

// ScalarText is a text that may be written as a number or boolean.
type ScalarText string

// UnmarshalJSON takes any scalar.
func (p *ScalarText) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err == nil {
		*p = ScalarText(s)
		return nil
	}
	if len(b) > 0 && (b[0] == '{' || b[0] == '[') {
		return &json.UnmarshalTypeError{Value: "object or list", Field: "query"}
	}
	*p = ScalarText(b)
	return nil
}

// ExplodeDefinitions may be written as one object or as a list of them.
type ExplodeDefinitions []ExplodeDefinition

// UnmarshalJSON takes both forms and refuses unknown members, which the outer decoder no longer sees in here.
func (e *ExplodeDefinitions) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("[")) {
		var list []ExplodeDefinition
		if err := jsonvalue.Strict(b, &list); err != nil {
			return err
		}
		*e = list
		return nil
	}
	var one ExplodeDefinition
	if err := jsonvalue.Strict(b, &one); err != nil {
		return err
	}
	*e = ExplodeDefinitions{one}
	return nil
}

// definitionsOf reads the setting streams: a list of objects, or the same as JSON text.
func definitionsOf(setting any) ([]Definition, error) {
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
	out := make([]Definition, len(raw))
	for i, one := range raw {
		if err := jsonvalue.Strict(one, &out[i]); err != nil {
			return nil, fmt.Errorf("streams[%d]%s: %w", i, quotedName(out[i].Name), err)
		}
	}
	return out, nil
}

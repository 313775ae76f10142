package scim

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// decoder is a JSON decoder in the middle of an answer.
type decoder = *json.Decoder

// listHead is what a ListResponse says beside its resources.
type listHead struct {
	total    int // -1: not told
	next     string
	received int
}

// readList walks a ListResponse, or a plain array, token by token and calls each with the decoder at every resource; each
// reads exactly one value, and ends the walk early with errEnough. An answer that is neither is an error, and so is a SCIM Error
// with status 200.
func readList(resp *target.Response, each func(decoder) error) (listHead, error) {
	head := listHead{total: -1}
	dec, err := resp.JSON()
	if err != nil {
		return head, err
	}
	rest := record{}
	found := false
	err = func() error {
		open, err := dec.Token()
		if err != nil {
			return err
		}
		if open == json.Delim('[') {
			found = true
			return head.elements(dec, each)
		}
		if open != json.Delim('{') {
			return nil
		}
		return members(dec, func(name string) error {
			if !strings.EqualFold(name, "resources") {
				return keepSmall(dec, rest, name)
			}
			found = true
			return head.resources(dec, each)
		})
	}()
	switch {
	case errors.Is(err, errEnough):
		return head, nil
	case err != nil:
		return head, resp.Explain(err)
	}
	resp.Drain()
	if rest.isError() {
		return head, errorInside(resp, rest)
	}
	head.fill(rest)
	if !found && head.total < 0 {
		return head, resp.Fault(v1.ClassConfig, "not_scim", "the answer of "+resp.URL+" is no SCIM list",
			"There is JSON at this address, but not of a SCIM service. Check base_url and its path.")
	}
	return head, nil
}

// errEnough ends the walk of a list of which no more is wanted.
var errEnough = errors.New("enough of the list")

func (h *listHead) resources(dec decoder, each func(decoder) error) error {
	open, err := dec.Token()
	if err != nil || open == nil {
		return err // null stands for none
	}
	if open != json.Delim('[') {
		return fmt.Errorf("the attribute Resources is no array")
	}
	return h.elements(dec, each)
}

func (h *listHead) elements(dec decoder, each func(decoder) error) error {
	for dec.More() {
		if err := each(dec); err != nil {
			return err
		}
		h.received++
	}
	_, err := dec.Token()
	return err
}

func (h *listHead) fill(rest record) {
	if n, err := strconv.Atoi(rest.text("totalResults")); err == nil && n >= 0 {
		h.total = n
	}
	h.next = rest.text("nextCursor")
}

// members walks the members of an object whose brace has been read; each reads one value.
func members(dec decoder, each func(name string) error) error {
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string) // the decoder gives nothing else here
		if err := each(name); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}

// keepSmall reads one value and keeps it under its name.
func keepSmall(dec decoder, into record, name string) error {
	var v any
	if err := dec.Decode(&v); err != nil {
		return err
	}
	into[name] = v
	return nil
}

// decodeRecord reads one resource; nil when it is no object.
func decodeRecord(dec decoder) (record, error) {
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	m, _ := v.(map[string]any)
	return m, nil
}

// decodeRecordWithout reads one resource and drops an attribute unread, however large it is.
func decodeRecordWithout(dec decoder, attribute string) (record, error) {
	rec := record{}
	return rec, object(dec, func(name string) error {
		if strings.EqualFold(name, attribute) {
			return skip(dec)
		}
		return keepSmall(dec, rec, name)
	})
}

// object reads one value and, if it is an object, calls each for its members. Another value is read and dropped.
func object(dec decoder, each func(name string) error) error {
	open, err := dec.Token()
	if err != nil {
		return err
	}
	if open == json.Delim('{') {
		return members(dec, each)
	}
	return rest(dec, open)
}

// skip reads one value without keeping it.
func skip(dec decoder) error {
	open, err := dec.Token()
	if err != nil {
		return err
	}
	return rest(dec, open)
}

// rest reads what follows an opening token.
func rest(dec decoder, open json.Token) error {
	depth := 0
	for {
		switch open {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		var err error
		if open, err = dec.Token(); err != nil {
			return err
		}
	}
}

// errorInside is the failure of an answer that calls itself a success but holds a SCIM Error (RFC 7644 section 3.12).
func errorInside(resp *target.Response, rec record) error {
	status := rec.text("status")
	d := resp.Fault(v1.ClassTargetFault, "scim_error", fmt.Sprintf("%s answered %d %s, but with a SCIM error of status %s inside",
		resp.URL, resp.Status, http.StatusText(resp.Status), status), "The target reports a failure in the body of a success. Its own log says why.")
	if detail := rec.text("detail"); detail != "" {
		d.Message += ": " + detail
	}
	switch status {
	case "401":
		d.Class = v1.ClassAuth
	case "403":
		d.Class = v1.ClassPermission
	case "404":
		d.Class = v1.ClassNotFound
	case "429":
		d.Class, d.Retryable = v1.ClassRateLimited, true
	}
	d.Target.HTTP.SCIMType = rec.text("scimType")
	d.Message = resp.Clean(d.Message)
	return d
}

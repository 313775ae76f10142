package response

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonscan"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// ReadObject decodes an answer that is one JSON object. A SCIM Error with a status of success is an error.
func ReadObject(resp *target.Response) (resource.Record, error) {
	var out resource.Record
	if err := resp.Decode(&out); err != nil {
		return nil, err
	}
	if out.IsError() {
		return nil, ErrorInBody(resp, out)
	}
	return out, nil
}

// Head is a ListResponse without its resources.
type Head struct {
	Total int // -1: unknown
	// Next is the cursor of the next page (RFC 9865); empty at the end of the list and with paging
	// by index.
	Next string
	// Received is how many resources the page has, which is counted and not what itemsPerPage says.
	Received int
}

// ReadList reads a ListResponse, or a plain array, and calls each at every resource. each reads exactly one value, and
// ends the list early with ErrStop. An answer that is neither is an error, and so is a SCIM Error with status 200.
func ReadList(resp *target.Response, each func(*Reader) error) (Head, error) {
	head := Head{Total: -1}
	in, err := NewReader(resp)
	if err != nil {
		return head, err
	}
	rest, found, err := head.walk(in, func() error {
		if head.Received == maxResources {
			return &jsonscan.Error{What: "resources", Limit: maxResources}
		}
		if err := each(in); err != nil {
			return err
		}
		head.Received++
		return nil
	})
	switch {
	case errors.Is(err, ErrStop):
		return head, nil
	case err != nil:
		return head, resp.Explain(err)
	}
	resp.Drain()
	if rest.IsError() {
		return head, ErrorInBody(resp, rest)
	}
	head.fill(rest)
	if !found && head.Total < 0 {
		return head, resp.Fault(v1.ClassConfig, "not_scim", "the answer of "+resp.URL+" is no SCIM list",
			"There is JSON at this address, but not of a SCIM service. Check base_url and its path.")
	}
	return head, nil
}

// ErrStop ends a list early, without an error.
var ErrStop = errors.New("enough of the list")

// walk goes through the answer and keeps its small members. found says whether there was a list.
func (h *Head) walk(in *Reader, each func() error) (rest resource.Record, found bool, err error) {
	rest = resource.Record{}
	if found, err = h.plain(in, each); found || err != nil {
		return rest, found, err
	}
	return rest, found, in.Object(func(name string) error {
		if !strings.EqualFold(name, "resources") {
			return ReadInto(in, rest, name)
		}
		found = true
		first, err := in.Peek()
		if err != nil {
			return err
		}
		if first != '[' && first != 'n' { // null means none
			return fmt.Errorf("the attribute Resources is no array")
		}
		_, err = in.Array(each)
		return err
	})
}

// plain reads an answer that is an array and nothing else.
func (h *Head) plain(in *Reader, each func() error) (bool, error) {
	first, err := in.Peek()
	if err != nil || first != '[' {
		return false, err
	}
	return in.Array(each)
}

// ReadInto reads one value and stores it under name, unless it is too large, too deep or no text.
func ReadInto(in *Reader, into resource.Record, name string) error {
	v, err := in.Next(MaxValue)
	if err != nil || v.Problem(MaxValue) != "" {
		return err
	}
	if err := in.Charge(v); err != nil {
		return err
	}
	out, err := v.Decode()
	if err != nil {
		return &syntaxError{"the value of " + name}
	}
	into[name] = out
	return nil
}

// fill takes what follows or precedes the resources. A totalResults that is not a number is treated
// as missing: services differ in whether they count at all.
func (h *Head) fill(rest resource.Record) {
	if n, err := strconv.Atoi(rest.Text("totalResults")); err == nil && n >= 0 {
		h.Total = n
	}
	h.Next = rest.Text("nextCursor")
}

// ErrorInBody is the error of an answer with a status of success whose body is a SCIM Error (RFC 7644 section 3.12).
func ErrorInBody(resp *target.Response, rec resource.Record) error {
	status := rec.Text("status")
	d := resp.Fault(
		v1.ClassTargetFault,
		"scim_error",
		fmt.Sprintf(
			"%s answered %d %s, but with a SCIM error of status %s inside",
			resp.URL,
			resp.Status,
			http.StatusText(resp.Status),
			status,
		),
		"The target reports a failure in the body of a successful response. See its log.",
	)
	if detail := rec.Text("detail"); detail != "" {
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
	d.Target.HTTP.SCIMType = rec.Text("scimType")
	d.Message = resp.Clean(d.Message)
	return d
}

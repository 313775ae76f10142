package scim

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonscan"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// listHead is what a ListResponse says beside its resources.
type listHead struct {
	total    int // -1: not told
	next     string
	received int
}

// readList walks a ListResponse, or a plain array, and calls each at every resource; each reads exactly one value, and
// ends the walk early with errEnough. An answer that is neither is an error, and so is a SCIM Error with status 200.
func readList(resp *target.Response, each func(*raw) error) (listHead, error) {
	head := listHead{total: -1}
	in, err := rawOf(resp)
	if err != nil {
		return head, err
	}
	rest, found, err := head.walk(in, func() error {
		if head.received == maxResources {
			return &jsonscan.Error{What: "resources", Limit: maxResources}
		}
		if err := each(in); err != nil {
			return err
		}
		head.received++
		return nil
	})
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

// walk goes through the answer and keeps its small members. found says whether there was a list.
func (h *listHead) walk(in *raw, each func() error) (rest record, found bool, err error) {
	rest = record{}
	if found, err = h.plain(in, each); found || err != nil {
		return rest, found, err
	}
	return rest, found, in.object(func(name string) error {
		if !strings.EqualFold(name, "resources") {
			return keepSmall(in, rest, name)
		}
		found = true
		first, err := in.peek()
		if err != nil {
			return err
		}
		if first != '[' && first != 'n' { // null stands for none
			return fmt.Errorf("the attribute Resources is no array")
		}
		_, err = in.array(each)
		return err
	})
}

// plain reads an answer that is an array and nothing else.
func (h *listHead) plain(in *raw, each func() error) (bool, error) {
	first, err := in.peek()
	if err != nil || first != '[' {
		return false, err
	}
	return in.array(each)
}

// keepSmall reads one value and keeps it under its name, if it is of use.
func keepSmall(in *raw, into record, name string) error {
	v, err := in.next(maxValue)
	if err != nil || v.trouble(maxValue) != "" {
		return err
	}
	if err := in.keep(v); err != nil {
		return err
	}
	out, err := v.decode()
	if err != nil {
		return &syntaxError{"the value of " + name}
	}
	into[name] = out
	return nil
}

func (h *listHead) fill(rest record) {
	if n, err := strconv.Atoi(rest.text("totalResults")); err == nil && n >= 0 {
		h.total = n
	}
	h.next = rest.text("nextCursor")
}

// errorInside is the failure of an answer that calls itself a success but holds a SCIM Error (RFC 7644 section 3.12).
func errorInside(resp *target.Response, rec record) error {
	status := rec.text("status")
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
		"The target reports a failure in the body of a success. Its own log says why.",
	)
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

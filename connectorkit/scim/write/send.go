package write

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/response"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// notVisible leaves a change open whose user was looked for by name and not found.
func notVisible() error {
	return unknownOutcome{&v1.ErrorDetail{
		Class: v1.ClassNotFound, Code: "account_not_visible", Phase: resource.PhaseUsers, Retryable: true,
		Message: "the target lists no user of this name, which is no proof that the user is gone",
		Hint:    "Read the target, so that the user's id is known.",
	}}
}

// unknownOutcome is the error of a request that may have been carried out.
type unknownOutcome struct{ *v1.ErrorDetail }

// Unwrap gives the detail.
func (u unknownOutcome) Unwrap() error { return u.ErrorDetail }

// request is one change on its way.
type request struct {
	// method and path are those of HTTP; path begins after the base URL.
	method string
	path   string
	// body is encoded as JSON; nil sends none.
	body any
	etag string // of the record as it was read
	// phase names the step in an error, and note says in the plan of a dry run what the request is
	// for.
	phase string
	note  string
}

// send plans a request and, unless this is a dry run, sends it. It gives the record of the answer, where there is one,
// and the record's address.
func (c *change) send(ctx context.Context, r request) (rec resource.Record, location string, err error) {
	ask := target.Request{Method: r.method, URL: r.path, Phase: r.phase, Header: http.Header{}, Judge: judge}
	if r.body != nil {
		if ask.Body, err = encoded(r.body); err != nil {
			return nil, "", err
		}
		ask.Header.Set("Content-Type", c.ContentType)
	}
	if r.etag != "" && c.provider.Etag {
		ask.Header.Set("If-Match", r.etag)
	}
	planned, err := c.Client.Plan(ask)
	if err != nil {
		return nil, "", err
	}
	c.resp.Plan = append(c.resp.Plan, v1.PlannedRequest{HTTP: &planned, Note: r.note})
	if c.req.DryRun {
		return nil, "", errPlanned
	}
	resp, err := c.Client.Do(ctx, ask)
	if err != nil {
		return nil, "", c.uncertain(err)
	}
	defer resp.Close()
	location = resp.Header.Get("Location")
	if resp.Status == http.StatusNoContent {
		return nil, location, nil
	}
	// The status says that it was done. An answer that cannot be read is made up for by reading back.
	if rec, err = response.ReadObject(resp); err != nil {
		var d *v1.ErrorDetail
		if errors.As(err, &d) && d.Code == "scim_error" {
			return nil, "", err
		}
		return nil, location, nil
	}
	return rec, location, nil
}

// encoded is a value as JSON without a line break at its end and without the escapes that
// encoding/json makes for HTML.
func encoded(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write the body of a request: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// judge gives refusals of changes hints that fit: those of reading speak of filters and pages.
func judge(d *v1.ErrorDetail) *v1.ErrorDetail {
	if d.Target == nil || d.Target.HTTP == nil {
		return d
	}
	switch d.Target.HTTP.Status {
	case 400, 422:
		d.Class, d.Hint = v1.ClassData, "The target does not accept the change. See its own message; check the "+
			"account's template."
	case 403:
		if d.Class == v1.ClassPermission {
			d.Hint = "The credentials are valid but not allowed to change this. Grant them write access in the target."
		}
	case 405, 501:
		d.Hint = "The target does not offer this way of changing. The connector's settings name others."
	case 409:
		d.Hint = "Another record has the same unique value."
	case 412:
		d.Code, d.Hint = "version_changed", "Another client changed the record. Read it again."
	}
	return d
}

// uncertain reports whether an error leaves the outcome of a change unknown.
func (c *change) uncertain(err error) error {
	var d *v1.ErrorDetail
	if !target.MayHaveArrived(err) || !errors.As(err, &d) {
		return err
	}
	if d.Code == "http_500" && c.req.Op != v1.OpAccountCreate {
		return err // it has failed, and asking again does no harm
	}
	copied := *d
	copied.Message = "the change was sent, but its result is unknown: " + d.Message
	copied.Hint = "The target is read before anything is tried again."
	return unknownOutcome{&copied}
}

package rest

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// value is what a placeholder stands for. A read that it needs is made then.
func (w *writing) value(ctx context.Context, failed *error) lookup {
	return func(name string) (any, bool) {
		group, rest, _ := strings.Cut(name, ".")
		switch group {
		case "account":
			return w.asked(rest)
		case "target":
			return some(map[string]string{"remote_id": w.target.RemoteID, "username": w.target.Username, "native_ref": w.target.NativeRef}[rest])
		case "entitlement":
			ref := ""
			if w.req.Entitlement != nil {
				ref = w.req.Entitlement.NativeRef
			}
			return some(map[string]string{"remote_id": w.right(), "native_ref": ref}[rest])
		case "credential":
			return some(w.password)
		case "idempotency_key":
			return some(w.req.IdempotencyKey)
		case "expires_at":
			if w.req.ExpiresAt != nil {
				return w.req.ExpiresAt.UTC().Format(time.RFC3339), true
			}
		case "reads":
			read, path, _ := strings.Cut(rest, ".")
			records, err := w.read(ctx, read)
			if err != nil {
				*failed = err
			}
			if len(records) == 0 {
				return nil, false
			}
			v := records[0]
			for part := range strings.SplitSeq(path, ".") {
				object, _ := v.(map[string]any)
				v = object[part]
			}
			return v, v != nil
		}
		return nil, false
	}
}

func some(s string) (any, bool) { return s, s != "" }

func (w *writing) right() string {
	if len(w.req.EntitlementRemoteIDs) == 1 {
		return w.req.EntitlementRemoteIDs[0]
	}
	return ""
}

// asked is a member of the account that is to be written.
func (w *writing) asked(name string) (any, bool) {
	a := w.req.Account
	if a == nil {
		return nil, false
	}
	if attribute, is := strings.CutPrefix(name, "attributes."); is {
		v, ok := a.Attributes[attribute]
		return v, ok
	}
	if name == "enabled" {
		if a.Enabled == nil {
			return nil, false
		}
		return *a.Enabled, true
	}
	text := map[string]*string{"username": a.Username, "email": a.Email, "display_name": a.DisplayName, "first_name": a.FirstName, "last_name": a.LastName,
		"employee_number": a.EmployeeNumber, "container": a.Container}[name]
	if text == nil {
		return nil, false
	}
	return *text, true
}

// build fills the templates that reads and changes have in common.
func (w *writing) build(ctx context.Context, method, path string, query map[string]plain, headers map[string]string) (r target.Request, err error) {
	var failed error
	of := w.value(ctx, &failed)
	r = target.Request{Method: method, Phase: phaseWrite, Query: url.Values{}, Header: http.Header{}}
	if r.URL, err = fillPath(path, of); err != nil {
		return r, errorOf(failed, err, path)
	}
	for name, values := range w.cfg.query {
		r.Query[name] = values
	}
	for _, name := range sortedKeys(query) {
		text, err := fillText(string(query[name]), of, nil)
		var absent absentError
		switch {
		case failed != nil || err != nil && !errors.As(err, &absent):
			return r, errorOf(failed, err, path)
		case err == nil:
			r.Query.Set(name, text)
		}
	}
	for _, name := range sortedKeys(headers) {
		text, err := fillText(headers[name], of, noLineBreak)
		var absent absentError
		switch {
		case failed != nil || err != nil && !errors.As(err, &absent):
			return r, errorOf(failed, err, path)
		case err == nil:
			r.Header.Set(name, text)
		}
	}
	return r, failed
}

// readBody fills the body of a read, which may be sent again like any other read.
func (w *writing) readBody(ctx context.Context, t *readTemplate, r *target.Request) error {
	r.Repeatable = true
	t.verdict.messageAt(r)
	if t.Body == nil {
		return nil
	}
	var failed error
	body, _, err := fillJSON(t.Body, w.value(ctx, &failed))
	if failed != nil || err != nil {
		return errorOf(failed, err, t.Path)
	}
	return encodeBody(r, body)
}

func errorOf(failed, err error, path string) error {
	if failed != nil {
		return failed
	}
	return &v1.ErrorDetail{Class: v1.ClassData, Code: "template_value", Phase: phaseWrite,
		Message: "the request " + path + " cannot be made: " + err.Error(), Hint: "See that the change has this value, or correct the template."}
}

// read makes one of the declared reads, once. It gives the records, none where the target has none.
func (w *writing) read(ctx context.Context, name string) ([]any, error) {
	if records, known := w.seen[name]; known {
		return records, nil
	}
	t := w.reads[name]
	if t == nil {
		return nil, misuse("no_read", "the setting writes has no read "+name, "")
	}
	r, err := w.build(ctx, t.Method, t.Path, t.Query, t.Headers)
	if err != nil {
		return nil, err
	}
	if err := w.readBody(ctx, t, &r); err != nil {
		return nil, err
	}
	var answer any
	err = w.client.Read(ctx, r, func(resp *target.Response) error {
		if answer = nil; resp.Status == http.StatusNoContent {
			answer = map[string]any{}
			return nil
		}
		if err := resp.Decode(&answer); err != nil {
			return err
		}
		return w.checkedRead(t, resp, answer)
	})
	switch {
	case target.Absent(err, t.Missing...), absentInBody(err):
		w.seen[name], w.absent[name] = nil, true
		return nil, nil
	case err != nil:
		return nil, err
	}
	w.budget.Refill()
	var records []any
	for _, found := range t.record.Select(w.budget, answer) {
		if found != nil {
			records = append(records, found)
		}
	}
	if err := tooCostly(w.budget, w.stream, nil); err != nil {
		return nil, err
	}
	w.seen[name], w.absent[name] = records, false
	return records, nil
}

package write

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/connectorkit/rest/answer"
	"github.com/grantwright/grantwright/connectorkit/rest/paging"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	"github.com/grantwright/grantwright/connectorkit/rest/template"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// value is what a placeholder stands for. A read that it needs is made then.
func (w *Operation) value(ctx context.Context, failed *error) template.Lookup {
	return func(name string) (any, bool) {
		group, rest, _ := strings.Cut(name, ".")
		switch group {
		case "account":
			return w.accountValue(rest)
		case "target":
			return nonEmpty(
				map[string]string{
					"remote_id": w.target.RemoteID, "username": w.target.Username, "native_ref": w.target.NativeRef,
				}[rest],
			)
		case "entitlement":
			ref := ""
			if w.req.Entitlement != nil {
				ref = w.req.Entitlement.NativeRef
			}
			return nonEmpty(map[string]string{"remote_id": w.entitlementID(), "native_ref": ref}[rest])
		case "credential":
			return nonEmpty(w.password)
		case "idempotency_key":
			return nonEmpty(w.req.IdempotencyKey)
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

// nonEmpty is a value for a template; an empty text is absent.
func nonEmpty(s string) (any, bool) { return s, s != "" }

// entitlementID is the one entitlement of the change; empty if there is not exactly one.
func (w *Operation) entitlementID() string {
	if len(w.req.EntitlementRemoteIDs) == 1 {
		return w.req.EntitlementRemoteIDs[0]
	}
	return ""
}

// accountValue is a member of the account that is to be written.
func (w *Operation) accountValue(name string) (any, bool) {
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
	text := map[string]*string{"username": a.Username, "email": a.Email, "display_name": a.DisplayName,
		"first_name": a.FirstName, "last_name": a.LastName,
		"employee_number": a.EmployeeNumber, "container": a.Container}[name]
	if text == nil {
		return nil, false
	}
	return *text, true
}

// build fills the templates that reads and changes have in common.
func (w *Operation) build(
	ctx context.Context,
	method, path string,
	query map[string]stream.ScalarText,
	headers map[string]string,
) (r target.Request, err error) {
	var failed error
	of := w.value(ctx, &failed)
	r = target.Request{Method: method, Phase: phaseWrite, Query: url.Values{}, Header: http.Header{}}
	if r.URL, err = template.FillPath(path, of); err != nil {
		return r, templateError(failed, err, path)
	}
	for name, values := range w.cfg.Query {
		r.Query[name] = values
	}
	for _, name := range jsonvalue.SortedKeys(query) {
		text, err := template.FillText(string(query[name]), of, nil)
		var absent template.AbsentError
		switch {
		case failed != nil || err != nil && !errors.As(err, &absent):
			return r, templateError(failed, err, path)
		case err == nil:
			r.Query.Set(name, text)
		}
	}
	for _, name := range jsonvalue.SortedKeys(headers) {
		text, err := template.FillText(headers[name], of, template.NoLineBreak)
		var absent template.AbsentError
		switch {
		case failed != nil || err != nil && !errors.As(err, &absent):
			return r, templateError(failed, err, path)
		case err == nil:
			r.Header.Set(name, text)
		}
	}
	return r, failed
}

// readBody fills the body of a read, which may be sent again like any other read.
func (w *Operation) readBody(ctx context.Context, t *template.ReadTemplate, r *target.Request) error {
	r.Repeatable = true
	r.MessageAt = t.Verdict.MessageReader()
	if t.Body == nil {
		return nil
	}
	var failed error
	body, _, err := template.FillJSON(t.Body, w.value(ctx, &failed))
	if failed != nil || err != nil {
		return templateError(failed, err, t.Path)
	}
	return paging.EncodeBody(r, body)
}

// templateError is the error for a request that cannot be filled in. failed is the error of a read
// that a value needed.
func templateError(failed, err error, path string) error {
	if failed != nil {
		return failed
	}
	return &v1.ErrorDetail{Class: v1.ClassData, Code: "template_value", Phase: phaseWrite,
		Message: "the request " + path + " cannot be made: " + err.Error(),
		Hint:    "See that the change has this value, or correct the template."}
}

// read makes one of the declared reads, once. It gives the records, none where the target has none.
func (w *Operation) read(ctx context.Context, name string) ([]any, error) {
	if records, known := w.seen[name]; known {
		return records, nil
	}
	t := w.Reads[name]
	if t == nil {
		return nil, ConfigError("no_read", "the setting writes has no read "+name, "")
	}
	r, err := w.build(ctx, t.Method, t.Path, t.Query, t.Headers)
	if err != nil {
		return nil, err
	}
	if err := w.readBody(ctx, t, &r); err != nil {
		return nil, err
	}
	var decoded any
	err = w.client.Read(ctx, r, func(resp *target.Response) error {
		if decoded = nil; resp.Status == http.StatusNoContent {
			decoded = map[string]any{}
			return nil
		}
		if err := resp.Decode(&decoded); err != nil {
			return err
		}
		return w.checkedRead(t, resp, decoded)
	})
	switch {
	case target.Absent(err, t.Missing...), absentInBody(err):
		w.seen[name] = nil
		w.absent[name] = true
		return nil, nil
	case err != nil:
		return nil, err
	}
	w.budget.Refill()
	var records []any
	for _, found := range t.Record.Select(w.budget, decoded) {
		if found != nil {
			records = append(records, found)
		}
	}
	if err := answer.BudgetExceeded(w.budget, w.Stream, nil); err != nil {
		return nil, err
	}
	w.seen[name] = records
	w.absent[name] = false
	return records, nil
}

// send makes the change. refused is an answer that the template takes for "already".
func (w *Operation) send(ctx context.Context) (decoded any, refused error, err error) {
	t := w.Ops[w.req.Op]
	r, err := w.build(ctx, t.Method, t.Path, t.Query, t.Headers)
	if err != nil {
		return nil, nil, err
	}
	if err := w.body(ctx, t, &r); err != nil {
		return nil, nil, err
	}
	r.Judge = judgeWrite
	r.MessageAt = t.Verdict.MessageReader()
	planned, err := w.client.Plan(r)
	if err != nil {
		return nil, nil, err
	}
	w.resp.Plan = append(w.resp.Plan, v1.PlannedRequest{HTTP: &planned, Note: string(w.req.Op)})
	if w.req.DryRun {
		return nil, nil, errPlanned
	}
	if err := answer.BudgetExceeded(w.budget, w.Stream, nil); err != nil {
		return nil, nil, err
	}
	clear(w.seen)
	resp, err := w.client.Do(ctx, r)
	if err != nil {
		return nil, w.already(t, err), w.uncertain(err)
	}
	defer resp.Close()
	if len(t.Success) > 0 && !slices.Contains(t.Success, resp.Status) {
		return nil, nil, resp.Fault(
			v1.ClassTargetFault,
			"unexpected_status",
			fmt.Sprintf(
				"the target answered %d, which the template does not take for success",
				resp.Status,
			),
			"Correct success in the template, or ask the target's owner.",
		)
	}
	if resp.Status != http.StatusNoContent && resp.Decode(&decoded) != nil {
		decoded = nil // the status says that it was done
	}
	refused, err = w.answered(t, resp, decoded)
	return decoded, refused, err
}

// body fills in the body. Attributes of the account are put under their names, with dots leading
// into objects.
func (w *Operation) body(ctx context.Context, t *template.OperationTemplate, r *target.Request) error {
	var failed error
	body, ok, err := template.FillJSON(t.Body, w.value(ctx, &failed))
	if failed != nil || err != nil {
		return templateError(failed, err, t.Path)
	}
	if t.Attributes && w.req.Account != nil && len(w.req.Account.Attributes) > 0 {
		object, _ := body.(map[string]any)
		if object == nil {
			object = map[string]any{}
		}
		for _, name := range jsonvalue.SortedKeys(w.req.Account.Attributes) {
			jsonvalue.SetPath(object, strings.Split(name, "."), w.req.Account.Attributes[name])
		}
		body = object
		ok = true
	}
	if t.Body == nil && body == nil {
		return nil
	}
	if !ok {
		body = map[string]any{}
	}
	return paging.EncodeBody(r, body)
}

// judgeWrite gives refusals of changes hints that fit.
func judgeWrite(d *v1.ErrorDetail) *v1.ErrorDetail {
	if d.Target == nil || d.Target.HTTP == nil {
		return d
	}
	switch d.Target.HTTP.Status {
	case 400, 422:
		d.Class = v1.ClassData
		d.Hint = "The target does not accept the change. Its own words say why; " +
			"check the template and the account's own."
	case 403:
		if d.Class == v1.ClassPermission {
			d.Hint = "The credentials are valid but not allowed to change this. Grant them write access in the target."
		}
	case 404:
		d.Hint = "What is to be changed is not there, or the template's path is wrong."
	case 409:
		d.Hint = "Another record has the same unique value."
	}
	return d
}

// already gives an error back that the template takes for "there is nothing to do".
func (w *Operation) already(t *template.OperationTemplate, err error) error {
	var d *v1.ErrorDetail
	if t.Already == nil || !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil ||
		!slices.Contains(t.Already.Status, d.Target.HTTP.Status) {
		return nil
	}
	words := strings.ToLower(d.Message + "\n" + d.Target.HTTP.BodyExcerpt)
	if !strings.Contains(words, strings.ToLower(t.Already.Contains)) {
		return nil
	}
	return err
}

// uncertain reports whether an error leaves the outcome of a change unknown.
func (w *Operation) uncertain(err error) error {
	var d *v1.ErrorDetail
	if !target.MayHaveArrived(err) || !errors.As(err, &d) {
		return err
	}
	copied := *d
	copied.Message = "the change was sent, but its result is unknown: " + d.Message
	copied.Hint = "The target is read before anything is tried again."
	return unknownError{&copied}
}

package rest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const phaseWrite = "write"

// Writes says which changes the settings have templates for.
func (c *connector) Writes(auth v1.AuthConfig) connectorkit.Writes {
	out := connectorkit.Writes{Ops: []v1.ProvisionOp{}}
	cfg, err := readConfig(canonical(auth))
	if err != nil {
		out.Why = err.Error()
		return out
	}
	if cfg.writes != nil {
		for _, op := range writeOps {
			if cfg.writes.ops[op] != nil {
				out.Ops = append(out.Ops, op)
			}
		}
	}
	out.Why = cfg.writes.why()
	return out
}

// writing is one Provision or Read under way.
type writing struct {
	*writes
	cfg    *config
	client *target.Client
	budget *jsonpath.Budget
	env    connectorkit.Env
	req    v1.ProvisionRequest
	resp   v1.ProvisionResponse

	target   v1.ProvisionTarget
	password string
	seen     map[string][]any // reads by name, as long as nothing was changed
	absent   map[string]bool  // of these, the reads that the target itself answered by "there is none"
}

func (c *connector) writing(ctx context.Context, auth v1.AuthConfig) (*writing, error) {
	cfg, client, err := c.open(ctx, auth, nil)
	if err != nil {
		return nil, err
	}
	if cfg.writes == nil {
		client.Close()
		return nil, misuse("operation_not_supported", "this connector only reads: "+cfg.writes.why(), "Declare templates in the setting writes.")
	}
	return &writing{writes: cfg.writes, cfg: cfg, client: client, budget: jsonpath.NewBudget(ctx, 0), env: c.env,
		seen: map[string][]any{}, absent: map[string]bool{}}, nil
}

func misuse(code, message, hint string) *v1.ErrorDetail {
	return &v1.ErrorDetail{Class: v1.ClassConfig, Code: code, Message: message, Hint: hint, Phase: phaseWrite}
}

// errPlanned ends a dry run where the change would be sent.
var errPlanned = errors.New("nothing is sent in a dry run")

// unknownError is that of a request that may have been carried out.
type unknownError struct{ *v1.ErrorDetail }

// Unwrap gives the detail.
func (u unknownError) Unwrap() error { return u.ErrorDetail }

// Provision makes one change by its template, and looks before and after where there are reads.
func (c *connector) Provision(ctx context.Context, req v1.ProvisionRequest) (v1.ProvisionResponse, error) {
	w, err := c.writing(ctx, req.AuthConfig)
	if err != nil {
		return v1.ProvisionResponse{}, err
	}
	defer w.client.Close()
	w.req, w.target = req, req.Target
	w.resp.Warnings = w.client.Warnings()
	if w.ops[req.Op] == nil {
		return v1.ProvisionResponse{}, misuse("operation_not_supported", fmt.Sprintf("%s cannot be done: the setting writes has no template for it", req.Op), "Declare one.")
	}
	return w.answer(w.do(ctx))
}

func (w *writing) do(ctx context.Context) error {
	if err := w.credential(); err != nil {
		return err
	}
	switch w.req.Op {
	case v1.OpAccountCreate:
		return w.create(ctx)
	case v1.OpAccountDelete:
		return w.delete(ctx)
	case v1.OpEntitlementGrant, v1.OpEntitlementRevoke:
		return w.member(ctx)
	}
	return w.change(ctx)
}

func (w *writing) answer(err error) (v1.ProvisionResponse, error) {
	var (
		u unknownError
		d *v1.ErrorDetail
	)
	if w.env.By != (v1.ExecutedBy{}) {
		by := w.env.By
		w.resp.ExecutedBy = &by
	}
	switch {
	case err == nil:
		w.resp.Success = true
	case errors.Is(err, errPlanned):
		w.resp.Success, w.resp.Outcome = true, v1.OutcomePlanned
	case errors.As(err, &u):
		text := u.Message
		w.resp.Outcome, w.resp.Error, w.resp.ErrorDetail, w.resp.Verified = v1.OutcomeUnknown, &text, u.ErrorDetail, false
	case errors.As(err, &d):
		return v1.ProvisionResponse{}, d
	default:
		return v1.ProvisionResponse{}, err
	}
	return w.resp, nil
}

func (w *writing) warn(code, message, id string) {
	w.resp.Warnings = append(w.resp.Warnings, v1.Warning{Code: code, Message: message, ExternalID: id})
}

func (w *writing) credential() error {
	cred := w.req.Credential
	if cred == nil || cred.Mode == "" || cred.Mode == "none" {
		return nil
	}
	switch {
	case cred.Mode == "random":
		w.password = rand.Text() + "-aZ7!"
	case cred.Mode != "password":
		return misuse("credential_mode", "a credential is none, random or password", "")
	case cred.Password == "":
		return misuse("password_missing", "the new password is missing", "")
	default:
		w.password = cred.Password
	}
	w.client.Hide(w.password)
	if !w.ops[w.req.Op].uses("credential.password") {
		w.warn("not_written", "the template takes no password", "")
	}
	if cred.ForceChange {
		w.warn("force_change_unsupported", "nothing demands that the password be changed at the next sign-in", "")
	}
	return nil
}

// row is the account that a record stands for, as a sync tells it; nil: it has no key.
func (w *writing) row(record any) *v1.RemoteAccount {
	key, ok := w.stream.keyOf(w.budget, record)
	if !ok {
		return nil
	}
	ref := ""
	if w.stream.nativeRef != nil {
		v, _ := w.stream.nativeRef.First(w.budget, record)
		ref, _ = textOf(v)
	}
	r := rows{st: w.stream, budget: w.budget, allowed: func(string) bool { return true }, warn: func(string, string, string) {},
		skip: func(string, string, string, ...v1.ObjectKind) {}, made: map[uint64]bool{}}
	var out v1.SyncResponse
	r.account(&out, record, nil, key, ref, r.attributes(record))
	if w.password != "" { // a target may tell what it was just given
		for name, v := range out.Accounts[0].Attributes {
			out.Accounts[0].Attributes[name] = w.cleaned(v)
		}
	}
	return &out.Accounts[0]
}

// cleaned is a value without the call's secrets.
func (w *writing) cleaned(v any) any {
	switch v := v.(type) {
	case string:
		return w.client.Clean(v)
	case []any:
		for i := range v {
			v[i] = w.cleaned(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = w.cleaned(v[name])
		}
	}
	return v
}

// locate reads the account that is meant. looked is false where no read tells; nil: there is none.
func (w *writing) locate(ctx context.Context) (row *v1.RemoteAccount, looked bool, err error) {
	switch {
	case w.target.RemoteID != "" && w.reads[readAccount] != nil:
		records, err := w.read(ctx, readAccount)
		if err != nil || len(records) == 0 {
			return nil, err == nil, err
		}
		return w.row(records[0]), true, tooCostly(w.budget, w.stream, nil)
	case w.target.RemoteID == "" && w.target.Username != "" && w.reads[readFind] != nil:
		return w.find(ctx)
	case w.target.RemoteID == "":
		return nil, false, misuse("no_target", "the change names no account that could be found", "Declare the read find.")
	}
	return nil, false, nil
}

// find looks for an account by name. Records of other names are not meant, whatever the target makes of the question.
func (w *writing) find(ctx context.Context) (*v1.RemoteAccount, bool, error) {
	records, err := w.read(ctx, readFind)
	if err != nil {
		return nil, false, err
	}
	var found []*v1.RemoteAccount
	for _, record := range records {
		row := w.row(record)
		if row != nil && row.Username != nil && strings.EqualFold(*row.Username, w.target.Username) {
			found = append(found, row)
		}
	}
	switch len(found) {
	case 0:
		return nil, true, nil
	case 1:
		return found[0], true, nil
	}
	return nil, true, &v1.ErrorDetail{Class: v1.ClassConflict, Code: "ambiguous_account", Phase: phaseWrite,
		Message: fmt.Sprintf("the target has %d accounts of this name", len(found)), Hint: "Remove or rename all but one in the target."}
}

// send makes the change. refused is an answer that the template takes for "already".
func (w *writing) send(ctx context.Context) (answer any, refused error, err error) {
	t := w.ops[w.req.Op]
	r, err := w.build(ctx, t.Method, t.Path, t.Query, t.Headers)
	if err != nil {
		return nil, nil, err
	}
	if err := w.body(ctx, t, &r); err != nil {
		return nil, nil, err
	}
	r.Judge = judgeWrite
	t.verdict.messageAt(&r)
	planned, err := w.client.Plan(r)
	if err != nil {
		return nil, nil, err
	}
	w.resp.Plan = append(w.resp.Plan, v1.PlannedRequest{HTTP: &planned, Note: string(w.req.Op)})
	if w.req.DryRun {
		return nil, nil, errPlanned
	}
	if err := tooCostly(w.budget, w.stream, nil); err != nil {
		return nil, nil, err
	}
	clear(w.seen)
	resp, err := w.client.Do(ctx, r)
	if err != nil {
		return nil, w.already(t, err), w.uncertain(err)
	}
	defer resp.Close()
	if len(t.Success) > 0 && !slices.Contains(t.Success, resp.Status) {
		return nil, nil, resp.Fault(v1.ClassTargetFault, "unexpected_status",
			fmt.Sprintf("the target answered %d, which the template does not take for success", resp.Status), "Correct success in the template, or ask the target's owner.")
	}
	if resp.Status != http.StatusNoContent && resp.Decode(&answer) != nil {
		answer = nil // the status says that it was done
	}
	refused, err = w.answered(t, resp, answer)
	return answer, refused, err
}

func (w *writing) body(ctx context.Context, t *opTemplate, r *target.Request) error {
	var failed error
	body, ok, err := fillJSON(t.Body, w.value(ctx, &failed))
	if failed != nil || err != nil {
		return errorOf(failed, err, t.Path)
	}
	if t.Attributes && w.req.Account != nil && len(w.req.Account.Attributes) > 0 {
		object, _ := body.(map[string]any)
		if object == nil {
			object = map[string]any{}
		}
		for _, name := range sortedKeys(w.req.Account.Attributes) {
			put(object, strings.Split(name, "."), w.req.Account.Attributes[name])
		}
		body, ok = object, true
	}
	if t.Body == nil && body == nil {
		return nil
	}
	if !ok {
		body = map[string]any{}
	}
	return encodeBody(r, body)
}

// put writes a value under a dotted name.
func put(object map[string]any, name []string, v any) {
	for ; len(name) > 1; name = name[1:] {
		inner, _ := object[name[0]].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
			object[name[0]] = inner
		}
		object = inner
	}
	object[name[0]] = v
}

// judgeWrite gives refusals of changes hints that fit.
func judgeWrite(d *v1.ErrorDetail) *v1.ErrorDetail {
	if d.Target == nil || d.Target.HTTP == nil {
		return d
	}
	switch d.Target.HTTP.Status {
	case 400, 422:
		d.Class, d.Hint = v1.ClassData, "The target does not accept the change. Its own words say why; check the template and the account's own."
	case 403:
		if d.Class == v1.ClassPermission {
			d.Hint = "The credentials are known but may not change this. Grant them the right to write in the target."
		}
	case 404:
		d.Hint = "What is to be changed is not there, or the template's path is wrong."
	case 409:
		d.Hint = "Another record has the same unique value."
	}
	return d
}

// already gives an error back that the template takes for "there is nothing to do".
func (w *writing) already(t *opTemplate, err error) error {
	var d *v1.ErrorDetail
	if t.Already == nil || !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil || !slices.Contains(t.Already.Status, d.Target.HTTP.Status) {
		return nil
	}
	words := strings.ToLower(d.Message + "\n" + d.Target.HTTP.BodyExcerpt)
	if !strings.Contains(words, strings.ToLower(t.Already.Contains)) {
		return nil
	}
	return err
}

// uncertain tells an error that settles the matter from one after which nobody knows.
func (w *writing) uncertain(err error) error {
	var d *v1.ErrorDetail
	if !target.MayHaveArrived(err) || !errors.As(err, &d) {
		return err
	}
	copied := *d
	copied.Message = "the change was sent, but its result is unknown: " + d.Message
	copied.Hint = "The target is read before anything is tried again."
	return unknownError{&copied}
}

// encodeAny is a value as JSON, to compare by.
func encodeAny(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

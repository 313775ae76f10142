package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/jsonscan"
	"github.com/grantwright/grantwright/connectorkit/remote/config"
	"github.com/grantwright/grantwright/connectorkit/remote/response"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

type connector struct {
	env    connectorkit.Env
	shared *target.Shared
	sleep  target.Sleep // nil but in tests
}

// New makes the connector. OAuth2 tokens, rate budgets and circuits are those of the process; see target.Process.
func New(env connectorkit.Env) connectorkit.Connector {
	return &connector{env: env, shared: target.Process()}
}

// caller speaks to one service during one call.
type caller struct {
	cfg    *config.Config
	client *target.Client
	now    func() time.Time
	sleep  target.Sleep
}

// open reads the settings of a call and makes its client, which the caller closes.
func (c *connector) open(ctx context.Context, auth v1.AuthConfig, report connectorkit.Report) (*caller, error) {
	auth = config.Canonical(auth)
	cfg, err := config.Read(auth)
	if err != nil {
		return nil, err
	}
	cfg.Options.Scrub = connectorkit.ScrubberFor(auth, config.Fields())
	cfg.Options.Report, cfg.Options.Shared, cfg.Options.Sleep = report, c.shared, c.sleep
	client, err := target.New(ctx, c.env, cfg.Options)
	if err != nil {
		return nil, err
	}
	call := &caller{cfg: cfg, client: client, now: c.env.Now, sleep: c.sleep}
	if call.now == nil {
		call.now = time.Now
	}
	if call.sleep == nil {
		call.sleep = pause
	}
	return call, nil
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// post makes a request with a body. All operations only read, so all may be repeated.
func (c *caller) post(ctx context.Context, path, phase, runID string, body any) (target.Request, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return target.Request{}, &v1.ErrorDetail{
			Class:   v1.ClassConfig,
			Code:    "invalid_settings",
			Phase:   phase,
			Message: "the settings cannot be written as JSON",
		}
	}
	r := target.Request{
		Method:     http.MethodPost,
		URL:        path,
		Phase:      phase,
		Body:       bytes.TrimRight(text.Bytes(), "\n"),
		Repeatable: true,
		Judge:      c.judge,
		Header:     headers(ctx, runID),
	}
	r.Header.Set("Content-Type", response.MediaJSON)
	return r, nil
}

// plain are texts that may stand in a header.
var plain = regexp.MustCompile(`^[!-~]{1,200}$`)

func headers(ctx context.Context, runID string) http.Header {
	h := http.Header{}
	h.Set("Grantwright-Protocol", "v1")
	if plain.MatchString(runID) {
		h.Set("Grantwright-Run-Id", runID)
	}
	if trace := connectorkit.TraceOf(ctx); plain.MatchString(trace) {
		h.Set("Traceparent", trace)
	}
	return h
}

// absent says whether a service does not have an operation.
func absent(d *v1.ErrorDetail) bool {
	if d == nil || d.Target == nil || d.Target.HTTP == nil {
		return false
	}
	switch d.Target.HTTP.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	}
	return false
}

// maxAnswer bounds an answer that comes in one piece. What is longer comes in pages, or as a stream.
const maxAnswer = target.DefaultMaxBody

// whole reads an answer of one JSON document.
func whole(resp *target.Response, limit int64) (json.RawMessage, error) {
	resp.Body = jsonscan.NewReader(
		&bounded{resp: resp, in: resp.Body, left: limit, limit: limit},
		response.MaxValues,
		math.MaxInt,
	)
	dec, err := resp.JSON()
	if err != nil {
		return nil, err
	}
	var doc json.RawMessage
	if err := dec.Decode(&doc); err != nil {
		return nil, resp.Explain(err)
	}
	if dec.More() {
		return nil, violation(
			resp,
			"there is more after the JSON document; a stream of lines needs the content type "+response.MediaNDJSON,
		)
	}
	return doc, nil
}

// bounded ends an answer that is too long.
type bounded struct {
	resp *target.Response
	in   interface{ Read([]byte) (int, error) }

	left, limit int64
}

// Read gives what came.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, b.resp.Fault(
			v1.ClassTargetFault,
			"body_too_large",
			fmt.Sprintf("the answer is larger than %d MiB", b.limit>>20),
			"Answer in pages (page.next_page_token) or with a stream of lines ("+response.MediaNDJSON+").",
		)
	}
	n, err := b.in.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// violation is the error of a service that does not keep to the protocol. what names the place and never repeats a
// value.
func violation(resp *target.Response, what string) *v1.ErrorDetail {
	return resp.Fault(v1.ClassProtocol, "protocol_violation", "the connector does not keep to protocol v1: "+what,
		"The author of the connector has to mend this; the schema sync_response of protocol v1 says what is expected.")
}

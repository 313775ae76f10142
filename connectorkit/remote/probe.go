package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/remote/response"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Test reaches the service, asks what it is (GET /v1/manifest), and lets it test its target (POST /v1/test). A service
// that has only sync is asked for one record. The verdict is that of the last step.
func (c *connector) Test(ctx context.Context, req v1.TestRequest, report connectorkit.Report) (v1.TestResponse, error) {
	steps := target.NewSteps(c.env, report)
	call, err := c.open(ctx, req.AuthConfig, report)
	if err != nil {
		return steps.Answer(err, nil), nil
	}
	defer call.client.Close()
	p := &probe{caller: call, req: req, warnings: call.client.Warnings()}
	if err = call.client.Reach(ctx, steps); err == nil {
		err = p.run(ctx, steps)
	}
	out := steps.Answer(err, p.result)
	for _, step := range p.steps {
		out.Steps = append(out.Steps, step)
		report.Send(v1.Progress{Phase: "connect", Step: &step})
	}
	out.Warnings, out.Facts, out.Operations = p.warnings, p.facts, p.offered
	return out, nil
}

// probe is one test and what it showed.
type probe struct {
	*caller
	req      v1.TestRequest
	result   *v1.Target
	facts    *v1.TargetFacts
	warnings []v1.Warning
	offered  []v1.ProvisionOp // changes that the manifest lists; nil: it lists none
	steps    []v1.TestStep    // the service's own
}

func (p *probe) run(ctx context.Context, steps *target.Steps) error {
	if p.cfg.Exact {
		return p.sync(ctx, steps)
	}
	if err := steps.Run("manifest", func(step *v1.TestStep) error { return p.manifest(ctx, step) }); err != nil {
		var d *v1.ErrorDetail
		if !errors.As(err, &d) || d.Target == nil || d.Target.HTTP == nil || d.Code == "unsupported_protocol" {
			return err
		}
		p.warnings = append(p.warnings, v1.Warning{Code: "manifest_unusable", Message: d.Message}) // it is optional
	}
	there := false
	err := steps.Run("test", func(step *v1.TestStep) (err error) {
		there, err = p.test(ctx, step)
		return err
	})
	if err != nil || there {
		return err
	}
	return p.sync(ctx, steps)
}

// maxSmall bounds the answers to all but sync.
const maxSmall = 4 << 20

// ask sends one request of a test or of discovery, without a second try where once is set. there is false where the
// service does not have the operation. use reads the answer, which is always some JSON document.
func (c *caller) ask(
	ctx context.Context,
	r target.Request,
	once bool,
	step *v1.TestStep,
	use func(*target.Response, json.RawMessage) error,
) (there bool, err error) {
	client := c.client
	if once {
		client = client.WithoutRetry()
	}
	err = client.Read(ctx, r, func(resp *target.Response) error {
		doc, err := whole(resp, maxSmall)
		if err == nil {
			err = use(resp, doc)
		}
		if step != nil {
			step.HTTP = resp.Result()
		}
		return err
	})
	var d *v1.ErrorDetail
	if errors.As(err, &d) && absent(d) {
		if step != nil {
			step.HTTP, step.Detail = d.Target.HTTP, "the connector does not offer this"
		}
		return false, nil
	}
	return true, err
}

// manifest is what a service says of itself.
type manifest struct {
	Name             string   `json:"name"`
	Vendor           string   `json:"vendor"`
	Version          string   `json:"version"`
	ProtocolVersions []string `json:"protocol_versions"`

	// Operations are the changes that the service has; nil: it does not say.
	Operations []v1.ProvisionOp `json:"operations"`
}

func (p *probe) manifest(ctx context.Context, step *v1.TestStep) error {
	r := target.Request{URL: "v1/manifest", Phase: "manifest", Header: headers(ctx, ""), Judge: p.judge}
	_, err := p.ask(ctx, r, true, step, func(resp *target.Response, doc json.RawMessage) error {
		var m manifest
		if err := json.Unmarshal(doc, &m); err != nil {
			return violation(resp, "the manifest: "+response.Explain(err))
		}
		if len(m.ProtocolVersions) > 0 && !slices.Contains(m.ProtocolVersions, "v1") {
			return resp.Fault(
				v1.ClassConfig,
				"unsupported_protocol",
				"the connector does not speak protocol v1",
				"Use a version of the connector that has v1 among protocol_versions.",
			)
		}
		p.compare(m)
		p.offered = m.Operations
		p.facts = &v1.TargetFacts{Vendor: p.clean(first(m.Name, m.Vendor), 200), Version: p.clean(m.Version, 64)}
		step.Detail = p.clean(fmt.Sprintf("%s %s", first(m.Name, m.Vendor, "a connector"), m.Version), 300)
		return nil
	})
	return err
}

func first(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// verdict is a TestResponse as services may write it.
type verdict struct {
	Success  *bool           `json:"success"`
	Steps    []v1.TestStep   `json:"steps"`
	Facts    *v1.TargetFacts `json:"facts"`
	Warnings []v1.Warning    `json:"warnings"`
	Error    json.RawMessage `json:"error"`
}

// maxSteps of the service's own are shown.
const maxSteps = 50

// test lets the service test its target. It is not there, either, where every path is answered with a SyncResponse.
func (p *probe) test(ctx context.Context, step *v1.TestStep) (bool, error) {
	r, err := p.post(
		ctx,
		"v1/test",
		"test",
		"",
		v1.TestRequest{ConnectorBusinessID: p.req.ConnectorBusinessID, AuthConfig: p.cfg.Auth},
	)
	if err != nil {
		return false, err
	}
	alike := false
	there, err := p.ask(ctx, r, true, step, func(resp *target.Response, doc json.RawMessage) error {
		if alike = isSyncResponse(doc); alike {
			step.Detail = "the connector answers every path alike; its sync is tested"
			return nil
		}
		var v verdict
		if err := json.Unmarshal(doc, &v); err != nil {
			return violation(resp, "the answer to test: "+response.Explain(err))
		}
		return p.judged(resp, v)
	})
	return there && !alike, err
}

func (p *probe) judged(resp *target.Response, v verdict) error {
	failed := len(v.Error) > 0 && string(v.Error) != "null"
	if v.Success == nil {
		return violation(resp, "the answer to test has no member success")
	}
	if *v.Success && failed {
		return violation(resp, "the answer to test has success true although error is set")
	}
	p.result = &v1.Target{Kind: "http", Host: resp.Host(), HTTP: resp.Head()}
	if steps := v.Steps[:min(len(v.Steps), maxSteps)]; len(steps) > 0 {
		if clean := cleaned(p.caller, &steps, maxSmall); clean != nil {
			p.steps = *clean
		}
	}
	if facts := cleaned(p.caller, v.Facts, maxOrigin); facts != nil {
		p.facts = facts
	}
	for _, w := range v.Warnings[:min(len(v.Warnings), response.MaxWarnings)] {
		p.warnings = append(p.warnings, v1.Warning{Code: p.clean(w.Code, 64), Message: p.clean(w.Message, 500)})
	}
	if *v.Success {
		return nil
	}
	var sentence *string
	if text := ""; json.Unmarshal(v.Error, &text) == nil {
		sentence = &text
	}
	return p.failure(sentence, v.Error, p.result, "test")
}

// isSyncResponse recognizes the answer of a service that ignores paths.
func isSyncResponse(doc json.RawMessage) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(doc, &members) != nil {
		return false
	}
	for _, kind := range response.AllKinds {
		if _, ok := members[string(kind)]; ok {
			return true
		}
	}
	return false
}

// sync asks for one record.
func (p *probe) sync(ctx context.Context, steps *target.Steps) error {
	one := 1
	req := v1.SyncRequest{
		ConnectorBusinessID: p.req.ConnectorBusinessID,
		AuthConfig:          p.cfg.Auth,
		Options:             &v1.SyncOptions{MaxRecords: &one, Mode: v1.ModeTest},
	}
	return steps.Run("sync", func(step *v1.TestStep) error {
		r, err := p.post(ctx, p.cfg.SyncPath, "sync", "", req)
		if err != nil {
			return err
		}
		r.Stream = true
		r.Header.Set("Accept", response.MediaJSON+", "+response.MediaNDJSON)
		return p.client.WithoutRetry().Read(ctx, r, func(resp *target.Response) error {
			err := p.sample(resp, step)
			step.HTTP = resp.Result()
			return err
		})
	})
}

// sample looks at the first answer, or the first line of one.
func (p *probe) sample(resp *target.Response, step *v1.TestStep) error {
	p.result = &v1.Target{Kind: "http", Host: resp.Host(), HTTP: resp.Head()}
	s := newSession(p.caller, v1.SyncRequest{}, nil)
	var e *response.Response
	var err error
	if isLines(resp) {
		e, err = s.line(resp, response.NewLines(resp.Body, response.MaxLine))
	} else {
		e, err = s.document(resp)
	}
	if err != nil {
		return err
	}
	found, err := e.Records(s.wanted, s.allowed, s.look)
	if err != nil {
		return violation(resp, err.Error())
	}
	s.count(found)
	if p.facts == nil {
		p.facts = &v1.TargetFacts{}
	}
	if at, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		at = at.UTC().Truncate(time.Second)
		p.facts.ServerTime = &at
	}
	step.Detail = fmt.Sprintf("%d record(s) came", found.Len())
	if found.Len() == 0 {
		p.warnings = append(
			p.warnings,
			v1.Warning{Code: "no_records", Message: "the connector answered, but with no record that can be used"},
		)
	}
	p.warnings = append(p.warnings, s.warnings...)
	return s.tooMany(resp, 1)
}

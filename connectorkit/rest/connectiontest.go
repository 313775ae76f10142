package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/rest/answer"
	"github.com/grantwright/grantwright/connectorkit/rest/paging"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// enoughRecords are looked at in a test; how many more there are does not matter.
const enoughRecords = 1000

// Test reaches the target, gets a token where one is needed, and sends one request: that of probe_path, or the first
// page of the first stream with one record. The verdict is that of the request; selecting nothing is a warning.
func (c *connector) Test(ctx context.Context, req v1.TestRequest, report connectorkit.Report) (v1.TestResponse, error) {
	steps := target.NewSteps(c.env, report)
	cfg, client, err := c.open(ctx, req.AuthConfig, report)
	if err != nil {
		return steps.Answer(err, nil), nil
	}
	defer client.Close()
	p := &probe{cfg: &cfg.Config, client: client, warnings: client.Warnings()}
	if err = client.Reach(ctx, steps); err == nil {
		err = p.run(ctx, steps)
	}
	out := steps.Answer(err, p.result)
	out.Warnings = p.warnings
	out.Facts = p.facts
	return out, nil
}

// probe is the request of one test and what it showed.
type probe struct {
	cfg    *stream.Config
	client *target.Client
	// result is the answer that the verdict rests on; facts are what it shows of the target.
	result   *v1.Target
	facts    *v1.TargetFacts
	warnings []v1.Warning
}

// run sends the one request of the test: of a stream one page with one record, or the configured
// path.
func (p *probe) run(ctx context.Context, steps *target.Steps) error {
	st := p.stream()
	if st == nil {
		return p.client.Step(
			ctx,
			steps,
			"request",
			target.Request{URL: p.cfg.ProbePath, Query: p.cfg.Query, Phase: "request"},
			p.plain,
		)
	}
	pg := paging.New(st, p.cfg)
	pg.Size = 1
	r, err := pg.Request(nil)
	if err != nil {
		return err
	}
	r.Phase = "request"
	return p.client.Step(ctx, steps, "request", r, func(resp *target.Response, step *v1.TestStep) error {
		return p.records(ctx, st, resp, step)
	})
}

// stream is the one whose first page is asked for: that of probe_path, or else the first. Nil: probe_path is no
// stream's.
func (p *probe) stream() *stream.Stream {
	for _, st := range p.cfg.Streams {
		if st.ParentStream == nil &&
			(p.cfg.ProbePath == "" || strings.Trim(st.Request.Path, "/") == strings.Trim(p.cfg.ProbePath, "/")) {
			return st
		}
	}
	return nil
}

// note keeps the answer, whatever is in it.
func (p *probe) note(resp *target.Response) {
	p.result = &v1.Target{Kind: "http", Host: p.cfg.Base.Host, HTTP: resp.Result()}
	p.facts = &v1.TargetFacts{Vendor: p.client.Clean(resp.Header.Get("Server")), Incremental: "none"}
	if at, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		at = at.UTC().Truncate(time.Second)
		p.facts.ServerTime = &at
	}
}

// plain takes the answer of a path that lists nothing. It only has to be JSON, or empty.
func (p *probe) plain(resp *target.Response, step *v1.TestStep) error {
	defer p.note(resp)
	if resp.Status == http.StatusNoContent {
		return nil
	}
	if _, err := resp.JSON(); err != nil {
		return err
	}
	step.Detail = "the target answered with JSON"
	return nil
}

// records takes the answer of a list and looks whether records were found and have keys. A few
// records suffice, and the rest of the page is not read.
func (p *probe) records(ctx context.Context, st *stream.Stream, resp *target.Response, step *v1.TestStep) error {
	defer p.note(resp)
	seen := 0
	keyed := 0
	flaw := ""
	budget := jsonpath.NewBudget(ctx, 0)
	o, err := answer.Decode(ctx, st, resp, func(record any) error {
		seen++
		if f, flawed := record.(*jsonpath.Flaw); flawed {
			flaw = f.Why
		}
		if _, ok := st.KeyOf(budget, record); ok {
			keyed++
		}
		if err := answer.BudgetExceeded(budget, st, resp); err != nil {
			return err
		}
		if seen == enoughRecords {
			return answer.ErrEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, answer.ErrEnough) {
		return err
	}
	step.Detail = fmt.Sprintf("%d record(s) selected", seen)
	switch {
	case seen == enoughRecords:
		step.Detail = fmt.Sprintf("at least %d records selected", seen)
	case seen == 0 && !o.Found:
		p.warn(
			"no_records",
			fmt.Sprintf(
				"the target answered, but there is no list where the records of %s are looked for; set record_selector",
				st.Name,
			),
		)
	case seen == 0:
		p.warn("no_records", fmt.Sprintf("the target answered, but the list of %s is empty", st.Name))
	}
	switch {
	case seen == 0 || keyed > 0 || st.Object == stream.ObjectGrant:
	case flaw != "":
		p.warn("flawed_record", fmt.Sprintf("the records of %s cannot be read: %s", st.Name, flaw))
	default:
		p.warn("record_without_key", fmt.Sprintf("the records of %s have no key; set key_path", st.Name))
	}
	return nil
}

// warn adds a warning to the response.
func (p *probe) warn(code, message string) {
	p.warnings = append(p.warnings, v1.Warning{Code: code, Message: message})
}

package scim

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/provider"
	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/scim/read"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/response"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Test asks for the target's declaration and, only if that fails, for one user. It never writes.
func (k *Connector) Test(ctx context.Context, req v1.TestRequest, report connectorkit.Report) (v1.TestResponse, error) {
	steps := target.NewSteps(k.env, report)
	s, err := k.open(ctx, req.AuthConfig, report)
	if err != nil {
		return steps.Answer(err, nil), nil
	}
	defer s.Close()
	if err := s.Client.Reach(ctx, steps); err != nil {
		return verdict(s, steps, err, nil), nil
	}
	p := &probe{Session: s, steps: steps}
	err = p.run(ctx)
	resp := verdict(s, steps, err, p.result)
	resp.Facts = p.facts
	resp.Warnings = append(resp.Warnings, p.warnings...)
	return resp, nil
}

// verdict is the answer of a connection test: the steps that were done, the error of the one that
// failed, and the warnings that the client has collected meanwhile. The cause of a failure is in
// the step; the answer itself is not an error.
func verdict(s *provider.Session, steps *target.Steps, err error, result *v1.Target) v1.TestResponse {
	resp := steps.Answer(err, result)
	resp.Warnings = s.Client.Warnings()
	return resp
}

// probe is a connection test under way.
type probe struct {
	*provider.Session
	// steps are what the answer lists, in the order in which they were tried.
	steps    *target.Steps
	result   *v1.Target // the answer that the verdict rests on
	facts    *v1.TargetFacts
	warnings []v1.Warning
}

// run asks for the declaration of the service (RFC 7644 section 4). What it says becomes the facts
// of the answer, and the Date of its response the target's clock. Where that fails a user is asked
// for instead: many services have no declaration, and one that lets users be read has passed, with
// a warning.
func (p *probe) run(ctx context.Context) error {
	refused := p.Client.Step(
		ctx,
		p.steps,
		"service_provider_config",
		target.Request{URL: provider.ConfigPath, Phase: "connect"},
		func(resp *target.Response, step *v1.TestStep) error {
			rec, err := response.ReadObject(resp)
			p.rest(resp)
			if err != nil {
				return err
			}
			p.facts = p.factsOf(provider.ParseDeclaration(rec))
			if t, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
				t = t.UTC()
				p.facts.ServerTime = &t
			}
			step.Detail = "the target declares what it can do"
			return nil
		},
	)
	if refused == nil {
		p.warnProvesNothing(ctx)
		return nil
	}
	if err := p.users(ctx); err != nil {
		return err
	}
	var d *v1.ErrorDetail
	if errors.As(refused, &d) {
		p.warnings = append(p.warnings, v1.Warning{
			Code: "service_provider_config_unavailable",
			Message: "the target does not describe its capabilities (" + d.Message +
				"); users can be read all the same",
		})
	}
	return nil
}

// factsOf is what the target declares, and what is known of its vendor.
func (p *probe) factsOf(declared provider.Declaration) *v1.TargetFacts {
	f := declared.Facts()
	if p.Profile.Key != quirks.Generic {
		f.Vendor = p.Profile.Name
	}
	f.MaxPageSize = p.MaxPageSize(declared)
	if read.NotIncremental(p.Session, declared, checkpoint.Watermark{}) != "" {
		f.Incremental = "none"
	}
	return f
}

// users asks for one user, which shows whether the credentials may read. The answer is read to its
// end and its records are not kept: the detail says how many there are.
func (p *probe) users(ctx context.Context) error {
	one := target.Request{URL: p.UsersPath, Query: url.Values{"count": {"1"}}, Phase: "users", Stream: true}
	return p.Client.Step(ctx, p.steps, "users_probe", one, func(resp *target.Response, step *v1.TestStep) error {
		head, err := response.ReadList(resp, func(in *response.Reader) error {
			_, err := in.Next(0)
			return err
		})
		p.rest(resp)
		if err != nil {
			return err
		}
		step.Detail = fmt.Sprintf("%d user(s) in the answer", head.Received)
		if head.Total >= 0 {
			step.Detail += fmt.Sprintf(", %d in all", head.Total)
		}
		return nil
	})
}

// rest makes a response the one that the verdict is based on: that of the last request wins.
func (p *probe) rest(resp *target.Response) {
	p.result = &v1.Target{Kind: "http", Host: resp.Host(), HTTP: resp.Result()}
}

// warnProvesNothing says so where the declaration is public: then a wrong token has not been noticed. A question that
// nobody answers is no fault here.
func (p *probe) warnProvesNothing(ctx context.Context) {
	if _, none := p.Options.Auth.(target.None); none {
		return
	}
	o := p.Options
	o.Auth, o.Headers, o.Tries, o.Timeout = target.None{}, nil, 1, min(o.Timeout, 5*time.Second)
	c, err := target.New(ctx, p.Env, o)
	if err != nil {
		return
	}
	defer c.Close()
	var rec resource.Record
	if c.JSON(ctx, target.Request{URL: provider.ConfigPath}, &rec) != nil || rec.IsError() {
		return
	}
	p.warnings = append(p.warnings, v1.Warning{
		Code: "credentials_not_proven",
		Message: "the target returns /ServiceProviderConfig without credentials, so this test does not verify them; " +
			"discovery does",
	})
}

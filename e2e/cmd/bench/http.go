package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/rig"
	"github.com/grantwright/grantwright/e2e/targets/hrrest"
	"github.com/grantwright/grantwright/e2e/targets/mishap"
	"github.com/grantwright/grantwright/e2e/targets/people"
	"github.com/grantwright/grantwright/e2e/targets/scimsvc"
)

const (
	users   = 50_000
	perPage = 100
	// thinking is how long the services take for a page. Those on the internet take longer.
	thinking = 100 * time.Millisecond
)

// overHTTP measures how much of a reading is waiting for the target: both services answer each page after a while.
func overHTTP(ctx context.Context, b *bench) error {
	c, err := b.tenant(ctx, "bench")
	if err != nil {
		return err
	}
	company := people.NewCompany(3, users)
	faults := mishap.Faults{Delay: thinking}
	var state rig.State
	workspace, err := scimsvc.Start(
		ctx,
		scimsvc.Config{System: company.SaaS, Domain: company.Domain, Token: "bench-token", MaxResults: perPage},
	)
	if err != nil {
		return err
	}
	state.SCIM.BaseURL, state.SCIM.Token = workspace.BaseURL(), "bench-token"
	hr, err := hrrest.Start(ctx, hrrest.Config{Company: company, Key: "bench-key", MaxPage: perPage})
	if err != nil {
		return err
	}
	state.REST.BaseURL, state.REST.Header, state.REST.APIKey = hr.BaseURL(), hrrest.KeyHeader, "bench-key"
	workspace.SetFaults(faults)
	hr.SetFaults(faults)
	for _, t := range []struct {
		name     string
		n        api.Connector
		requests func() int
		page     string // address of a page in the middle
		header   [2]string
	}{
		{"SCIM", state.Workspace(), workspace.Requests,
			fmt.Sprintf("%s/Users?startIndex=%d&count=%d", state.SCIM.BaseURL, users/2, perPage),
			[2]string{"Authorization", "Bearer bench-token"}},
		{"REST", state.Personnel(), hr.Requests,
			fmt.Sprintf("%s/employees?page=%d&per_page=%d", state.REST.BaseURL, users/perPage/2, perPage),
			[2]string{hrrest.KeyHeader, "bench-key"}},
	} {
		s := &site{c: c}
		if s.connector, err = c.CreateConnector(ctx, t.n); err != nil {
			return err
		}
		each, err := answer(ctx, t.page, t.header)
		if err != nil {
			return err
		}
		before := t.requests()
		took, run, err := s.run(ctx, api.Sync{})
		if err != nil {
			return err
		}
		if run.Status != "succeeded" {
			return fmt.Errorf("%s: the run is %s: %+v", t.name, run.Status, run.Error)
		}
		waited := time.Duration(t.requests()-before) * each
		k := run.Counters
		what := fmt.Sprintf(
			"%s: %d people, %d accounts, %d groups; share of the time spent waiting for the target",
			t.name,
			k.Identities,
			k.Accounts,
			k.Entitlements,
		)
		note(
			fmt.Sprintf("%s full sync, a target that takes %s for a page of %d", t.name, thinking, perPage),
			took.Seconds(),
			"s",
		)
		atLeast(what, 90, 100*min(1, waited.Seconds()/took.Seconds()), "%")
	}
	return nil
}

// answer measures how long the target takes for a page when nobody does anything with it.
func answer(ctx context.Context, url string, header [2]string) (time.Duration, error) {
	const times = 20
	began := time.Now()
	for range times {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return 0, err
		}
		req.Header.Set(header[0], header[1])
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err
		}
		_, err = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			return 0, fmt.Errorf("%s answered %s: %w", url, res.Status, err)
		}
	}
	return time.Since(began) / times, nil
}

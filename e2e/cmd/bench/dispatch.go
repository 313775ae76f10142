package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
)

// A tenant may test its connections 60 times a minute, so each round has tenants of its own.
const (
	rounds   = 4
	warming  = 5
	measured = 50
)

// dispatch measures what a call costs more through an agent, by the test of a connection to a target that answers at
// once.
func dispatch(ctx context.Context, b *bench) error {
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `[{"id":"1","name":"One"}]`)
	}))
	defer target.Close()
	took := map[string][]time.Duration{}
	for round := range rounds {
		calls := map[string]func() error{}
		for _, mode := range []string{"hosted", "agent"} {
			call, err := caller(ctx, b, target.URL, mode, fmt.Sprintf("%s-%d", mode, round))
			if err != nil {
				return err
			}
			calls[mode] = call
		}
		for i := range warming + measured {
			// in turns, so that what else the machine does falls on both
			for _, mode := range []string{"hosted", "agent"} {
				began := time.Now()
				if err := calls[mode](); err != nil {
					return err
				}
				if i >= warming {
					took[mode] = append(took[mode], time.Since(began))
				}
			}
		}
	}
	hosted, agent := percentile(took["hosted"], 0.5), percentile(took["agent"], 0.5)
	note("A call (test of a connection), hosted, p50", hosted, "ms")
	note("  through an agent on this machine, p50", agent, "ms")
	atMost("  what the agent adds", 2, agent-hosted, "ms")
	return nil
}

// caller prepares a tenant with a connector, whose test is the call.
func caller(ctx context.Context, b *bench, url, mode, slug string) (func() error, error) {
	c, err := b.tenant(ctx, slug)
	if err != nil {
		return nil, err
	}
	n := api.Connector{
		BusinessID: "target",
		Name:       "Target",
		Type:       "rest",
		Mode:       mode,
		Connection: map[string]any{"base_url": url, "auth_method": "none"},
	}
	if mode == "agent" {
		if n.AgentID, _, err = b.agent(ctx, c, slug); err != nil {
			return nil, err
		}
	}
	id, err := c.CreateConnector(ctx, n)
	if err != nil {
		return nil, err
	}
	return func() error {
		verdict, err := c.Test(ctx, id)
		if err == nil && !verdict.Success {
			err = fmt.Errorf("the connection test failed: %+v", verdict.Error)
		}
		return err
	}, nil
}

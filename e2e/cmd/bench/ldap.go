package main

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
)

// The directory that is read.
const (
	people   = 50_000
	groups   = 500
	perGroup = 200
)

// ldap measures the first full reading of a large directory through an agent.
func ldap(ctx context.Context, b *bench) error {
	s, err := startSlapd(ctx, b)
	if err != nil {
		return err
	}
	c, err := b.tenant(ctx, "bench")
	if err != nil {
		return err
	}
	id, agent, err := b.agent(ctx, c, "bench")
	if err != nil {
		return err
	}
	connector, err := c.CreateConnector(ctx, api.Connector{
		BusinessID: "directory", Name: "Directory", Type: "ldap", Mode: "agent", AgentID: id, Purpose: "both",
		Connection:  map[string]any{"host": "127.0.0.1", "port": s.port, "security": "none", "base_dn": suffix, "bind_dn": readerDN},
		Credentials: map[string]any{"bind_password": s.password},
	})
	if err != nil {
		return err
	}
	first, err := read(ctx, c, connector)
	if err != nil {
		return err
	}
	size := fmt.Sprintf("%d people, %d groups, %d memberships", people, groups, groups*perGroup)
	atMost("LDAP full sync through an agent: "+size, 8, first.Seconds(), "s")
	memory, err := peak(agent.PID())
	if err != nil {
		return err
	}
	atMost("  most memory of the agent in it", 64, memory, "MB")
	if memory, err = peak(b.plane.PID()); err != nil {
		return err
	}
	atMost("  most memory of the control plane in it", 256, memory, "MB")
	again, err := read(ctx, c, connector)
	if err != nil {
		return err
	}
	note("  the same again, with nothing changed", again.Seconds(), "s")
	return nil
}

// read measures a run from its trigger to its end, and checks that everything was read.
func read(ctx context.Context, c *api.Client, connector string) (time.Duration, error) {
	began := time.Now()
	started, err := c.Start(ctx, connector, api.Sync{})
	if err != nil {
		return 0, err
	}
	run, err := c.Follow(ctx, connector, started.RunID, 100*time.Millisecond, nil) // asking costs the service something, too
	took := time.Since(began)
	if err != nil {
		return 0, err
	}
	k := run.Counters
	if run.Status != "succeeded" || k.Identities != people || k.Accounts != people || k.Entitlements != groups || k.Grants != groups*perGroup {
		return 0, fmt.Errorf("the run is %s with %+v: %+v", run.Status, k, run.Error)
	}
	return took, nil
}

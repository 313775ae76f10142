package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/rig"
)

// system is one target with its connector.
type system struct {
	id   string
	name string
	way  string // how it is reached, for people
	run  api.Run
	took time.Duration
}

// connect makes the three connectors where they are not there yet, and tests each connection.
func (d *demo) connect(ctx context.Context, state rig.State, agent string) ([]*system, error) {
	hr, directory, workspace := state.Personnel(), state.Directory(), state.Workspace()
	hr.Mode, hr.AgentID = "agent", agent
	directory.Mode, directory.AgentID = "agent", agent
	workspace.Mode = "hosted"
	var all []*system
	for _, c := range []api.Connector{hr, directory, workspace} {
		id, err := d.connector(ctx, c)
		if err != nil {
			return nil, err
		}
		s := &system{
			id:   id,
			name: c.Name,
			way:  map[string]string{"rest": "REST", "ldap": "LDAP", "scim2": "SCIM 2.0"}[c.Type] + ", " + c.Mode,
		}
		if err := d.test(ctx, s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// connector makes a connector, or gives the one of an earlier start the present settings.
func (d *demo) connector(ctx context.Context, c api.Connector) (string, error) {
	encoded, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(encoded)
	digest := hex.EncodeToString(sum[:])
	id := d.memory.Connectors[c.BusinessID]
	switch {
	case id == "":
		id, err = d.client.CreateConnector(ctx, c)
		if api.IsStatus(err, 409) { // made by a start that ended before it could write it down
			if id, err = d.find(ctx, c.BusinessID); err == nil {
				err = d.patch(ctx, id, c)
			}
		}
	case d.memory.Settings[c.BusinessID] != digest:
		err = d.patch(ctx, id, c)
	default:
		return id, nil
	}
	if err != nil {
		return "", err
	}
	d.memory.Connectors[c.BusinessID], d.memory.Settings[c.BusinessID] = id, digest
	return id, d.memory.save()
}

func (d *demo) find(ctx context.Context, businessID string) (string, error) {
	type item struct {
		ID         string `json:"id"`
		BusinessID string `json:"business_id"`
	}
	all, err := api.All[item](ctx, d.client, "/connectors", nil)
	for _, c := range all {
		if c.BusinessID == businessID {
			return c.ID, nil
		}
	}
	return "", errors.Join(err, fmt.Errorf("there is no connector %s", businessID))
}

func (d *demo) patch(ctx context.Context, id string, c api.Connector) error {
	change := map[string]any{"mode": c.Mode, "connection": c.Connection, "credentials": c.Credentials}
	if c.AgentID != "" {
		change["agent_id"] = c.AgentID
	}
	return d.client.Call(ctx, "PATCH", "/connectors/"+id, change, nil)
}

func (d *demo) test(ctx context.Context, s *system) error {
	began := time.Now()
	t, err := d.client.Test(ctx, s.id)
	switch {
	case err != nil:
		return fmt.Errorf("test of %s: %w", s.name, err)
	case !t.Success && t.Error != nil:
		return fmt.Errorf("test of %s failed (%s): %s %s", s.name, t.Error.Code, t.Error.Message, t.Error.Hint)
	case !t.Success:
		return fmt.Errorf("test of %s failed", s.name)
	}
	d.say.done(s.name, began, "connection tested (%s)", s.way)
	return nil
}

// read starts a run of each system and shows how they get on, until all have ended.
func (d *demo) read(ctx context.Context, systems []*system) error {
	ctx, cancel := context.WithTimeoutCause(
		ctx,
		syncTime,
		errors.New("the syncs of the sample systems did not end in time"),
	)
	defer cancel()
	d.say.line("")
	board := d.say.board(len(systems))
	results := make(chan error, len(systems))
	for i, s := range systems {
		began := time.Now()
		run, err := d.begin(ctx, s)
		if err != nil {
			return err
		}
		go func() {
			var err error
			s.run, err = d.client.Follow(ctx, s.id, run, 150*time.Millisecond, func(r api.Run) {
				board.set(i, r.Status, progress(s, r, time.Since(began)))
			})
			s.took = time.Since(began)
			if err == nil && s.run.Status != "succeeded" && s.run.Status != "partial" {
				err = &unread{s}
			}
			results <- err
		}()
	}
	for range systems {
		if err := d.next(ctx, results); err != nil {
			return err
		}
	}
	return nil
}

// begin starts a run, or finds the one that an interrupted start has left: it goes on by itself.
func (d *demo) begin(ctx context.Context, s *system) (run string, err error) {
	started, err := d.client.Start(ctx, s.id, api.Sync{})
	var p *api.Problem
	if errors.As(err, &p) && p.RunID != "" {
		return p.RunID, nil
	}
	return started.RunID, err
}

// next waits for one result, unless a child dies.
func (d *demo) next(ctx context.Context, results <-chan error) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-results:
			return err
		case <-tick.C:
			if err := d.dead(); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// unread says that a run did not succeed.
type unread struct{ *system }

// Error is the run's own error.
func (u *unread) Error() string {
	if e := u.run.Error; e != nil {
		return fmt.Sprintf(
			"the sync of %s did not succeed (%s, %s): %s %s",
			u.name,
			u.run.Status,
			e.Code,
			e.Message,
			e.Hint,
		)
	}
	return fmt.Sprintf("the sync of %s did not succeed: %s", u.name, u.run.Status)
}

func progress(s *system, r api.Run, took time.Duration) string {
	c := r.Counters
	return fmt.Sprintf("  %-20s %-10s %6d people %6d accounts %4d entitlements %6d grants %5.1f s",
		s.name, r.Status, c.Identities, c.Accounts, c.Entitlements, c.Grants, took.Seconds())
}

package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/process"
	"github.com/grantwright/grantwright/e2e/rig"
)

// The directories that are read.
var (
	large = size{people: 50_000, groups: 500, perGroup: 200}
	huge  = size{people: 1_000_000, groups: 5_000, perGroup: 100}
	small = size{people: 50_000, groups: 250, perGroup: 100} // a twentieth of the huge one
)

// site is a directory with an agent and a connector that reads it.
type site struct {
	*slapd
	c         *api.Client
	agent     *rig.Agent
	connector string
}

func openSite(ctx context.Context, b *bench, n size) (*site, error) {
	s, err := startSlapd(ctx, b, n)
	if err != nil {
		return nil, err
	}
	c, err := b.tenant(ctx, "bench")
	if err != nil {
		return nil, err
	}
	id, agent, err := b.agent(ctx, c, "bench")
	if err != nil {
		return nil, err
	}
	connector, err := c.CreateConnector(ctx, api.Connector{
		BusinessID: "directory",
		Name:       "Directory",
		Type:       "ldap",
		Mode:       "agent",
		AgentID:    id,
		Purpose:    "both",
		Connection: map[string]any{
			"host":     "127.0.0.1",
			"port":     s.port,
			"security": "none",
			"base_dn":  suffix,
			"bind_dn":  readerDN,
		},
		Credentials: map[string]any{"bind_password": s.password},
	})
	return &site{s, c, agent, connector}, err
}

// ldap measures the first full reading of a large directory through an agent, what changes cost afterwards, and what
// the bare directory takes to hand out the same entries.
func ldap(ctx context.Context, b *bench) error {
	s, err := openSite(ctx, b, large)
	if err != nil {
		return err
	}
	bare, err := s.bare(ctx)
	if err != nil {
		return err
	}
	note("ldapsearch -E pr=1000 of the same entries", bare.Seconds(), "s")
	first, err := s.full(ctx)
	if err != nil {
		return err
	}
	atMost("LDAP full sync through an agent: "+large.String(), 8, first.Seconds(), "s")
	atMost("  against the bare ldapsearch", 25, first.Seconds()/bare.Seconds(), "x")
	if err := s.memory(b, "  "); err != nil {
		return err
	}
	again, err := s.full(ctx)
	if err != nil {
		return err
	}
	note("  the same again, with nothing changed", again.Seconds(), "s")
	return s.changes(ctx)
}

// rounds of changes are measured, and the middle one counts: right after a load the database is still busy with its
// statistics.
const roundsOfChanges = 5

// changes measures incremental readings after a hundred changes each.
func (s *site) changes(ctx context.Context) error {
	const n = 100
	var took []time.Duration
	var run api.Run
	for round := range roundsOfChanges {
		var ldif strings.Builder
		for i := range n {
			fmt.Fprintf(
				&ldif,
				"dn: %s\nchangetype: modify\nreplace: title\ntitle: Principal Engineer %d\n\n",
				person(i*400+round),
				round,
			)
		}
		if err := s.modify(ctx, ldif.String()); err != nil {
			return err
		}
		var t time.Duration
		var err error
		if t, run, err = s.run(ctx, api.Sync{Incremental: true}); err != nil {
			return err
		}
		if run.Status != "succeeded" || run.Counters.Accounts != n || run.Counters.Identities != n {
			return fmt.Errorf(
				"the incremental run is %s with %+v as %q: %+v",
				run.Status,
				run.Counters,
				run.Strategy,
				run.Error,
			)
		}
		took = append(took, t)
	}
	what := fmt.Sprintf(
		"  incremental (%s) after %d changes, which alone were read, median of %d",
		run.Strategy,
		n,
		roundsOfChanges,
	)
	atMost(what, 1, percentile(took, 0.5)/1000, "s")
	note("    the slowest of them", percentile(took, 1)/1000, "s")
	return nil
}

// million measures a directory twenty times as large: the price of a record must not grow with their number, nor the
// memory.
func million(ctx context.Context, b *bench) error {
	var base time.Duration
	err := alone(ctx, b.bin, b.dir+"-small", func(ctx context.Context, b *bench) error {
		s, err := openSite(ctx, b, small)
		if err != nil {
			return err
		}
		base, err = s.full(ctx)
		return err
	})
	if err != nil {
		return err
	}
	s, err := openSite(ctx, b, huge)
	if err != nil {
		return err
	}
	took, err := s.full(ctx)
	if err != nil {
		return err
	}
	note("LDAP full sync through an agent: "+huge.String(), took.Seconds(), "s")
	if err := s.memory(b, "  "); err != nil {
		return err
	}
	perRecord := func(t time.Duration, n size) float64 { return float64(t.Microseconds()) / float64(n.records()) }
	note("  time a record", perRecord(took, huge), "us")
	note("  time a record at "+small.String(), perRecord(base, small), "us")
	atMost("  the one against the other", 1.2, perRecord(took, huge)/perRecord(base, small), "x")
	return nil
}

// memory prints what both programs had resident at most.
func (s *site) memory(b *bench, indent string) error {
	agent, err := peak(s.agent.PID())
	if err != nil {
		return err
	}
	atMost(indent+"most memory of the agent in it", 64, agent, "MB")
	plane, err := peak(b.plane.PID())
	if err != nil {
		return err
	}
	atMost(indent+"most memory of the control plane in it", 256, plane, "MB")
	return nil
}

// run measures a run from its trigger to its end.
func (s *site) run(ctx context.Context, how api.Sync) (time.Duration, api.Run, error) {
	began := time.Now()
	started, err := s.c.Start(ctx, s.connector, how)
	if err != nil {
		return 0, api.Run{}, err
	}
	pause := 100 * time.Millisecond // asking costs the service something, too
	if how.Incremental {
		pause = 10 * time.Millisecond
	}
	run, err := s.c.Follow(ctx, s.connector, started.RunID, pause, nil)
	return time.Since(began), run, err
}

// full measures a full run, and checks that everything was read.
func (s *site) full(ctx context.Context) (time.Duration, error) {
	took, run, err := s.run(ctx, api.Sync{})
	if err != nil {
		return 0, err
	}
	k, n := run.Counters, s.size
	whole := k.Identities == int64(n.people) && k.Accounts == int64(n.people) && k.Entitlements == int64(n.groups) &&
		k.Grants == int64(n.memberships())
	if run.Status != "succeeded" || !whole {
		return 0, fmt.Errorf("the run is %s with %+v: %+v", run.Status, k, run.Error)
	}
	return took, nil
}

func (s *slapd) url() string { return fmt.Sprintf("ldap://127.0.0.1:%d", s.port) }

// bare measures the directory's own client reading the same entries.
func (s *slapd) bare(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	cmd := exec.CommandContext(
		ctx,
		"ldapsearch",
		"-x",
		"-LLL",
		"-H",
		s.url(),
		"-D",
		readerDN,
		"-y",
		"/dev/stdin",
		"-b",
		suffix,
		"-E",
		"pr=1000/noprompt",
		"(|(objectClass=inetOrgPerson)(objectClass=groupOfNames))",
		"*",
		"+",
	)
	cmd.Stdin = strings.NewReader(s.password)
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("ldapsearch: %w", err)
	}
	return time.Since(began), nil
}

// modify changes the directory by LDIF.
func (s *slapd) modify(ctx context.Context, ldif string) error {
	file := fmt.Sprintf("%s/changes-%d.ldif", s.dir, time.Now().UnixNano())
	if err := write(file, ldif); err != nil {
		return err
	}
	_, err := process.Run(ctx, process.Spec{
		Name: "ldapmodify",
		Path: "ldapmodify",
		Args: []string{"-x", "-H", s.url(), "-D", writerDN, "-y", "/dev/stdin", "-f", file},
	}, s.password)
	return err
}

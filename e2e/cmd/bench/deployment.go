package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/process"
	"github.com/grantwright/grantwright/e2e/rig"
)

// bench is one deployment that is measured.
type bench struct {
	bin, dir string
	plane    *rig.ControlPlane
	closers  []func()
	signIns  map[string][2]string // address and password of the administrator, by tenant
}

func (b *bench) start(ctx context.Context) error {
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return err
	}
	port, err := rig.FreePort()
	if err != nil {
		return err
	}
	b.plane = &rig.ControlPlane{
		Bin:    b.bin,
		Data:   filepath.Join(b.dir, "cp"),
		Listen: fmt.Sprintf("127.0.0.1:%d", port),
		Log:    filepath.Join(b.dir, "controlplane.log"),
		Flags:  []string{"--egress-allow-cidrs", "127.0.0.0/8"},
	}
	err = b.plane.Start(ctx)
	b.stops(b.plane.Child)
	return err
}

// stops ends a child with the deployment.
func (b *bench) stops(c *process.Child) {
	if c == nil {
		return
	}
	b.closers = append(b.closers, func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = c.Stop(ctx) // it has been measured by now
	})
}

func (b *bench) close() {
	for _, end := range slices.Backward(b.closers) {
		end()
	}
}

// tenant makes a tenant and signs in to it.
func (b *bench) tenant(ctx context.Context, slug string) (*api.Client, error) {
	email, password := "admin@"+slug+".example", rand.Text()
	if _, err := b.plane.Bootstrap(ctx, slug, slug, email, password); err != nil {
		return nil, err
	}
	if b.signIns == nil {
		b.signIns = map[string][2]string{}
	}
	b.signIns[slug] = [2]string{email, password}
	c := api.New(b.plane.URL())
	return c, c.Login(ctx, email, password)
}

// agent enrols an agent of a tenant and waits until it is online.
func (b *bench) agent(ctx context.Context, c *api.Client, name string) (id string, a *rig.Agent, err error) {
	var invited api.Agent
	if err := c.Post(ctx, "/settings/agents", map[string]string{"name": name}, &invited); err != nil {
		return "", nil, err
	}
	a = &rig.Agent{
		Bin:  b.bin,
		Data: filepath.Join(b.dir, "agent-"+name),
		Log:  filepath.Join(b.dir, "agent-"+name+".log"),
	}
	if err := a.Enroll(ctx, b.plane.URL(), invited.Token); err != nil {
		return "", nil, err
	}
	began := time.Now()
	if err := a.Start(); err != nil {
		return "", nil, err
	}
	b.stops(a.Child)
	err = a.Await(ctx, "connect", func(ctx context.Context) bool {
		now, err := c.Agent(ctx, invited.ID)
		return err == nil && now.Online(began)
	})
	return invited.ID, a, err
}

// peak is the most memory that a process has had resident, in MB (2^20 bytes).
func peak(pid int) (float64, error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("memory of process %d: %w", pid, err)
	}
	for _, line := range strings.Split(string(raw), "\n") {
		if text, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "kB")), 64)
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("memory of process %d: its status has no VmHWM", pid)
}

// percentile of durations, in ms.
func percentile(all []time.Duration, share float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return float64(sorted[int(share*float64(len(sorted)-1))]) / float64(time.Millisecond)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/mailbox"
	"github.com/grantwright/grantwright/e2e/process"
	"github.com/grantwright/grantwright/e2e/rig"
)

// Limits of waiting. They are generous: a slow machine is no failure.
const (
	startTime = 2 * time.Minute
	syncTime  = 30 * time.Minute
	stopTime  = 45 * time.Second
)

// demo is one start of the demonstration.
type demo struct {
	options
	say    *screen
	memory *memory
	client *api.Client
	ready  bool // everything was shown
	killed atomic.Bool
	began  time.Time

	plane   rig.ControlPlane
	mailbox *mailbox.Mailbox // where notifications are sent

	mu       sync.Mutex
	children []*process.Child // in the order they were started
}

func (d *demo) logs() string { return filepath.Join(d.data, "logs") }

func (d *demo) log(name string) string { return filepath.Join(d.logs(), name+".log") }

// show starts everything and tells the story.
func (d *demo) show(ctx context.Context) error {
	if err := d.prepare(); err != nil {
		return err
	}
	state, err := d.targets(ctx)
	if err != nil {
		return err
	}
	if err := d.controlPlane(ctx); err != nil {
		return err
	}
	agent, err := d.agent(ctx)
	if err != nil {
		return err
	}
	systems, err := d.connect(ctx, state, agent)
	if err != nil {
		return err
	}
	if err := d.read(ctx, systems); err != nil {
		return err
	}
	if err := d.summarise(ctx, systems); err != nil {
		return err
	}
	d.invite(systems)
	d.ready = true
	return nil
}

func (d *demo) prepare() error {
	if err := rig.Programs(d.bin); err != nil {
		return err
	}
	if err := os.MkdirAll(d.logs(), 0o700); err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	var err error
	if d.memory, err = remember(filepath.Join(d.data, "demo.json")); err != nil {
		return err
	}
	return d.memory.signIn(filepath.Join(d.data, "sign-in.json"))
}

func (d *demo) targets(ctx context.Context) (rig.State, error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	t := rig.Targets{Bin: d.bin, File: filepath.Join(d.data, "targets.json"), Log: d.log("targets"), People: d.people}
	state, err := t.Start(ctx)
	d.own(t.Child)
	if err != nil {
		return state, err
	}
	d.say.done(
		"sample systems",
		began,
		"%s: %d people in an LDAP directory, a SCIM application and a REST HR system",
		state.Company,
		state.People,
	)
	return state, nil
}

func (d *demo) controlPlane(ctx context.Context) error {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var err error
	if d.mailbox, err = mailbox.Open(); err != nil {
		return err
	}
	d.plane = rig.ControlPlane{
		Bin: d.bin, Data: filepath.Join(d.data, "controlplane"), Listen: d.address(), Log: d.log("controlplane"),
		// The sample systems listen on the loopback address, which hosted connectors may reach only when an operator
		// says so.
		Flags: []string{"--public-docs", "--egress-allow-cidrs", "127.0.0.0/8", "--mail-server", d.mailbox.SMTP,
			"--mail-security", "none", "--mail-from", "access@demo.example"},
	}
	if !d.memory.Bootstrapped {
		if err := d.bootstrap(ctx); err != nil {
			return err
		}
	}
	err = d.plane.Start(ctx)
	d.own(d.plane.Child)
	if err != nil {
		return err
	}
	d.client = api.New(d.plane.URL())
	if err := d.client.Login(ctx, d.memory.Email, d.memory.Password); err != nil {
		return fmt.Errorf("sign in as %s: %w", d.memory.Email, err)
	}
	d.say.done("control plane", began, "%s with a PostgreSQL of its own", d.plane.URL())
	return nil
}

// bootstrap makes the tenant. The password is on the disk before it is in the database, so that no interruption loses
// it.
func (d *demo) bootstrap(ctx context.Context) error {
	if err := d.memory.save(); err != nil {
		return err
	}
	if _, err := d.plane.Bootstrap(ctx, "demo", "Demo", d.memory.Email, d.memory.Password); err != nil {
		return err
	}
	d.memory.Bootstrapped = true
	return d.memory.save()
}

// address is the one asked for, else the one of the last start, else a free one.
func (d *demo) address() string {
	anyPort := strings.HasSuffix(d.listen, ":0")
	if !anyPort && rig.IsFree(d.listen) {
		return d.listen
	}
	other := d.memory.Listen
	if other == "" || other == d.listen || !rig.IsFree(other) {
		port, err := rig.FreePort()
		if err != nil {
			return d.listen // the service will say what is wrong with it
		}
		other = fmt.Sprintf("127.0.0.1:%d", port)
	}
	if anyPort {
		return other
	}
	d.say.line("%s is taken by another program; using %s instead.", d.listen, other)
	return other
}

// agent enrols the agent where it has not been, or the service has moved, and waits until it is online.
func (d *demo) agent(ctx context.Context) (id string, err error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	a := rig.Agent{Bin: d.bin, Data: filepath.Join(d.data, "agent"), Log: d.log("agent")}
	if err := d.enrol(ctx, &a); err != nil {
		return "", err
	}
	if err := a.Start(); err != nil {
		return "", err
	}
	d.own(a.Child)
	id = d.memory.AgentID
	online := func(ctx context.Context) bool {
		now, err := d.client.Agent(ctx, id)
		return err == nil && now.Online(began)
	}
	if err := a.Await(ctx, "connect", online); err != nil {
		return "", err
	}
	d.say.done("agent", began, "enrolled and connected")
	return id, nil
}

func (d *demo) enrol(ctx context.Context, a *rig.Agent) error {
	var invited api.Agent
	var err error
	switch {
	case d.memory.AgentID == "":
		err = d.client.Post(ctx, "/settings/agents", map[string]string{"name": "demo-site"}, &invited)
	case d.memory.EnrolledAt != d.plane.URL():
		err = d.client.Post(ctx, "/settings/agents/"+d.memory.AgentID+"/enroll", nil, &invited)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	d.memory.AgentID, d.memory.EnrolledAt = invited.ID, ""
	if err := d.memory.save(); err != nil {
		return err
	}
	if err := a.Enroll(ctx, d.plane.URL(), invited.Token); err != nil {
		return err
	}
	d.memory.EnrolledAt, d.memory.Listen = d.plane.URL(), d.plane.Listen
	return d.memory.save()
}

// own takes charge of a child.
func (d *demo) own(c *process.Child) {
	if c == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.children = append(d.children, c)
}

// dead is an *process.EndedError when a child has ended that should run.
func (d *demo) dead() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.children {
		select {
		case <-c.Done():
			return &process.EndedError{Child: c}
		default:
		}
	}
	return nil
}

// stop ends the children, the last started first: the agent says goodbye before the service it speaks to is gone.
func (d *demo) stop() error {
	d.mu.Lock()
	children := d.children
	d.mu.Unlock()
	var all []error
	for i := len(children) - 1; i >= 0; i-- {
		select {
		case <-children[i].Done(): // it has been reported
			continue
		default:
		}
		ctx, cancel := context.WithTimeout(context.Background(), stopTime)
		all = append(all, children[i].Stop(ctx))
		cancel()
	}
	if d.mailbox != nil {
		d.mailbox.Close()
	}
	return errors.Join(all...)
}

// kill ends the children at once.
func (d *demo) kill() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.children {
		c.Kill()
	}
}

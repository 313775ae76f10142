package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/grantwright/grantwright/agent/internal/config"
)

// noticeTime is how long an agent that runs may take to notice that it shall drain.
const noticeTime = 10 * time.Second

// errNotRunning is the error when no agent runs with the data directory.
var errNotRunning = errors.New("no agent runs with this data directory")

// drain is the subcommand drain: the agent that runs takes no new tasks, and the command waits for
// those that run. It speaks to the agent through its data directory, so that it needs no network.
func (c command) drain(args []string) int {
	set, data := c.flags("drain")
	undo := set.Bool("undo", false, "take new tasks again")
	wait := set.Duration("wait", 10*time.Minute, "how `long` to wait for the tasks that run; 0 does not wait")
	if code, done := c.parse(set, args); done {
		return code
	}
	dir, err := absolute(*data)
	if err != nil {
		return c.fail(err)
	}
	if _, err := dir.LoadState(); err != nil {
		return c.fail(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := c.drainNow(ctx, dir, !*undo, *wait); err != nil {
		return c.fail(err)
	}
	return exitOK
}

// drainNow leaves the wish and waits until it is fulfilled. The agent forgets it when it is started again.
func (c command) drainNow(ctx context.Context, dir config.Dir, on bool, wait time.Duration) error {
	if _, running, err := running(dir); err != nil || !running {
		return errors.Join(err, errNotRunning)
	}
	if err := dir.SetDrain(on); err != nil {
		return err
	}
	noticeBy := time.Now().Add(noticeTime)
	until := time.Now().Add(wait)
	for {
		status, alive, err := running(dir)
		switch {
		case err != nil:
			return err
		case !alive && on:
			fmt.Fprintln(c.out, "the agent has stopped")
			return nil
		case status.Draining == on && (!on || wait == 0 || status.InFlight == 0):
			c.drained(on, status.InFlight)
			return nil
		case status.Draining != on && time.Now().After(noticeBy):
			return errors.New("the agent does not react to the request; is it older than this command?")
		case status.Draining == on && time.Now().After(until):
			return fmt.Errorf("%d tasks still run after %s; the agent takes no new ones", status.InFlight, wait)
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return errors.New(
				"not waiting any longer; the agent takes no new tasks until `drain --undo` or its restart",
			)
		}
	}
}

// drained says how the agent stands after the command.
func (c command) drained(on bool, tasks int) {
	switch {
	case !on:
		fmt.Fprintln(c.out, "the agent takes new tasks again")
	case tasks > 0:
		fmt.Fprintf(c.out, "the agent takes no new tasks; %d still run\n", tasks)
	default:
		fmt.Fprintln(c.out, "the agent has nothing to do and takes no new tasks: it can be stopped")
	}
}

// running reads the status of the agent with this data directory and says whether it runs.
func running(dir config.Dir) (config.Status, bool, error) {
	s, err := dir.LoadStatus(time.Now())
	return s, s.State != config.Stopped && s.State != config.Revoked, err
}

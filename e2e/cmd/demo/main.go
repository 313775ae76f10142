// Command demo is the program behind `make run`: it starts a whole deployment with three sample systems, reads them for
// the first time before your eyes, says what it found, and stays until Ctrl-C.
//
//	demo --bin DIR --data DIR [--people N] [--listen ADDR] [--once]
//
// Everything it keeps lies below the data directory; the next start finds it there and takes seconds. Exit code 1 means
// that something could not start or died, 130 that it was told to stop before it was ready.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/grantwright/grantwright/e2e/process"
)

// options are the command line.
type options struct {
	bin, data, listen string
	people            int
	once              bool
}

func main() {
	o, err := parse(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(2)
	}
	os.Exit(run(o, os.Stdout))
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("demo", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&o.bin, "bin", "bin", "directory of the programs")
	f.StringVar(&o.data, "data", "data", "directory to keep everything in")
	f.StringVar(&o.listen, "listen", "127.0.0.1:8080", "address of the service; when it is taken, another port is used")
	f.IntVar(&o.people, "people", 3000, "how many people the sample company has")
	f.BoolVar(&o.once, "once", false, "stop after the syncs and the summary")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	var err error
	if o.bin, err = filepath.Abs(o.bin); err == nil {
		o.data, err = filepath.Abs(o.data)
	}
	return o, err
}

// run shows everything and answers the exit code.
func run(o options, out io.Writer) int {
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	interrupts := make(chan os.Signal, 2)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM)
	d := &demo{options: o, say: newScreen(out), began: time.Now()}
	go d.listenTo(interrupts, stop)

	err := d.show(ctx)
	if err == nil && !o.once {
		d.say.line("Press Ctrl-C to stop.")
		err = d.stay(ctx)
	}
	d.say.settle()
	stopped := d.stop()
	return d.verdict(ctx, err, stopped)
}

// errInterrupted is the cause of a context that a person ended.
var errInterrupted = errors.New("interrupted")

// listenTo stops gently at the first signal, and at once at the second.
func (d *demo) listenTo(interrupts <-chan os.Signal, stop context.CancelCauseFunc) {
	<-interrupts
	stop(errInterrupted)
	<-interrupts
	d.killed.Store(true)
	d.kill()
	os.Exit(130)
}

// verdict tells of what went wrong and answers the exit code.
func (d *demo) verdict(ctx context.Context, err, stopped error) int {
	var ended *process.EndedError
	switch {
	case d.killed.Load():
		return 130
	case errors.Is(context.Cause(ctx), errInterrupted):
		if stopped != nil {
			d.say.line("%v", stopped)
			return 1
		}
		d.say.line("Stopped. Everything is kept in %s; the next start takes seconds.", d.data)
		if !d.ready {
			return 130
		}
		return 0
	case errors.As(err, &ended):
		d.say.line("")
		d.say.line("%v. The end of its log (%s):", ended, ended.Child.Log)
		for _, line := range ended.Child.Tail(15) {
			d.say.line("  %s", line)
		}
		return 1
	case err != nil || stopped != nil:
		d.say.line("%v", errors.Join(err, stopped))
		d.say.line("The logs are in %s.", d.logs())
		return 1
	}
	return 0
}

// stay waits until something dies or ctx ends.
func (d *demo) stay(ctx context.Context) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		if err := d.dead(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

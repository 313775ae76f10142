// Package process runs programs as children that never outlive their parent: it starts them with a log file each, tells
// when one ends, and stops them, gently first.
package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Spec says what to start.
type Spec struct {
	Name string   // for people
	Path string   // of the program
	Args []string // without the program's name; never a secret
	Env  []string // besides our own environment
	Log  string   // file that standard output and standard error are appended to
}

// Child is a running program.
type Child struct {
	Spec
	cmd  *exec.Cmd
	from int64 // where in the log this start begins
	done chan struct{}
	mu   sync.Mutex
	err  error
}

// spawner starts children from one thread that lives as long as the program: Linux sends the parent-death signal when
// the starting thread ends, not when the process does.
var spawner = sync.OnceValue(func() chan<- func() {
	jobs := make(chan func())
	go func() {
		runtime.LockOSThread()
		for job := range jobs {
			job()
		}
	}()
	return jobs
})

// Start starts a program in a process group of its own, so that a Ctrl-C at the terminal reaches the parent alone,
// which then decides on the order.
func Start(s Spec) (*Child, error) {
	log, err := os.OpenFile(s.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%s: log file: %w", s.Name, err)
	}
	defer func() { _ = log.Close() }()
	info, err := log.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: log file: %w", s.Name, err)
	}
	c := &Child{Spec: s, cmd: exec.Command(s.Path, s.Args...), from: info.Size(), done: make(chan struct{})}
	c.cmd.Env = append(os.Environ(), s.Env...)
	c.cmd.Stdout, c.cmd.Stderr = log, log
	c.cmd.SysProcAttr = attributes()
	started := make(chan error)
	spawner() <- func() { started <- c.cmd.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("%s does not start: %w", s.Name, err)
	}
	go c.wait()
	return c, nil
}

func (c *Child) wait() {
	err := c.cmd.Wait()
	c.mu.Lock()
	c.err = err
	c.mu.Unlock()
	close(c.done)
}

// PID is the process id.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Done is closed when the program has ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Err says how the program ended; nil while it runs and after exit code 0.
func (c *Child) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Signal sends a signal to the program, and to nobody once it has ended.
func (c *Child) Signal(sig syscall.Signal) {
	select {
	case <-c.done:
	default:
		_ = c.cmd.Process.Signal(sig) // it may end at this very moment
	}
}

// Kill ends the program as a power cut would, and returns when it is gone.
func (c *Child) Kill() {
	c.Signal(syscall.SIGKILL)
	<-c.done
}

// Stop asks the program to end and waits. It is killed when ctx ends first, which is an error, as is an exit code other
// than 0.
func (c *Child) Stop(ctx context.Context) error {
	c.Signal(syscall.SIGTERM)
	select {
	case <-c.done:
	case <-ctx.Done():
		c.Kill()
		return fmt.Errorf("%s did not stop in time and was killed", c.Name)
	}
	if err := c.Err(); err != nil {
		return fmt.Errorf("%s ended badly: %w", c.Name, err)
	}
	return nil
}

// Output is what the program has logged since this start.
func (c *Child) Output() string {
	all, err := os.ReadFile(c.Log)
	if err != nil || int64(len(all)) < c.from {
		return ""
	}
	return string(all[c.from:])
}

// Tail is the last lines that the program has logged since this start.
func (c *Child) Tail(n int) []string {
	lines := strings.Split(strings.TrimRight(c.Output(), "\n"), "\n")
	return lines[max(0, len(lines)-n):]
}

// Await returns when ready says so. It is an *EndedError when the program ends before.
func (c *Child) Await(ctx context.Context, what string, ready func(context.Context) bool) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if ready(ctx) {
			return nil
		}
		select {
		case <-c.done:
			return &EndedError{c}
		case <-ctx.Done():
			return fmt.Errorf("%s: waiting for it to %s: %w", c.Name, what, ctx.Err())
		case <-tick.C:
		}
	}
}

// EndedError says that a program ended that should run.
type EndedError struct{ Child *Child }

// Error names the program and how it ended.
func (e *EndedError) Error() string {
	if err := e.Child.Err(); err != nil {
		return fmt.Sprintf("%s has ended: %v", e.Child.Name, err)
	}
	return e.Child.Name + " has ended"
}

// Run runs a command to its end, feeding it stdin, and answers its standard output. The error carries its standard
// error.
func Run(ctx context.Context, s Spec, stdin string) (string, error) {
	cmd := exec.CommandContext(ctx, s.Path, s.Args...)
	cmd.Env = append(os.Environ(), s.Env...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	cmd.SysProcAttr = attributes()
	done := make(chan error)
	spawner() <- func() {
		err := cmd.Start()
		go func() {
			if err == nil {
				err = cmd.Wait()
			}
			done <- err
		}()
	}
	err := <-done
	if s.Log != "" {
		_ = keep(s.Log, complaint.Bytes())
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out.String(), fmt.Errorf("%s: %w: %s", s.Name, err, strings.TrimSpace(complaint.String()))
	} else if err != nil {
		return out.String(), fmt.Errorf("%s: %w", s.Name, err)
	}
	return out.String(), nil
}

// keep appends to a log file.
func keep(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

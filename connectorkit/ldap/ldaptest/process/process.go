package process

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Process is a server that runs in the foreground and ends with the test, even when the test itself is killed.
type Process struct {
	cmd    *exec.Cmd
	output *tail
	exited chan struct{} // closed when cmd has ended
}

// Start starts cmd and returns when ready says so. A server that ends, or is not ready within limit,
// is an error that carries what it printed last.
func Start(cmd *exec.Cmd, limit time.Duration, ready func() bool) (*Process, error) {
	p := &Process{cmd: cmd, output: &tail{}, exited: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = p.output, p.output
	cmd.SysProcAttr = withParent()
	started := make(chan error)
	go p.run(started)
	if err := <-started; err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); {
		if ready() {
			return p, nil
		}
		select {
		case <-p.exited:
			return nil, fmt.Errorf("%s ended: %s\n%s", filepath.Base(cmd.Path), cmd.ProcessState, p.output)
		case <-time.After(20 * time.Millisecond):
		}
	}
	p.Kill()
	return nil, fmt.Errorf("%s was not ready within %s\n%s", filepath.Base(cmd.Path), limit, p.output)
}

// run keeps the thread that starts the server for as long as the server lives: Linux ties "dies with its parent" to the
// thread, not to the whole program.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err == nil {
		_ = p.cmd.Wait()
		close(p.exited)
	}
}

// Kill ends the server at once, as a crash would.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.exited
}

// End asks the server to end and waits until it has.
func (p *Process) End(limit time.Duration) error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.exited:
		return nil
	case <-time.After(limit):
		p.Kill()
		return fmt.Errorf("%s did not end within %s", filepath.Base(p.cmd.Path), limit)
	}
}

// tail keeps the last of what a server prints.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// maxTail is how much of the output is kept, in bytes.
const maxTail = 16 << 10

// Write implements io.Writer.
func (o *tail) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buf.Write(b)
	if over := o.buf.Len() - maxTail; over > 0 {
		o.buf.Next(over)
	}
	return len(b), nil
}

// String is the output that was kept.
func (o *tail) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// Program finds a program, the test failing with the package to install where it is missing. Distributions keep servers
// outside of an ordinary user's PATH.
func Program(t testing.TB, name, pkg string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, dir := range []string{"/usr/sbin", "/usr/libexec", "/usr/local/libexec", "/usr/lib/openldap"} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path
		}
	}
	t.Fatalf("%s is not installed; these tests run on real directories: install %s, or run .ci/setup test", name, pkg)
	return ""
}

// Existing is the first of dirs that is there.
func Existing(t testing.TB, pkg string, dirs ...string) string {
	t.Helper()
	for _, d := range dirs {
		if _, err := os.Stat(d); err == nil {
			return d
		}
	}
	t.Fatalf("none of %s exists; install %s, or run .ci/setup test", strings.Join(dirs, ", "), pkg)
	return ""
}

// Execute runs a program to its end.
func Execute(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(cmd.Path), err, out)
	}
}

// Listening says whether something accepts connections on a port.
func Listening(host string, port int) bool {
	c, err := net.DialTimeout("tcp", net.JoinHostPort(host, fmt.Sprint(port)), time.Second)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}

// FreePort is a port that nothing listens on at this moment.
func FreePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// Random is a name or password of 18 hexadecimal digits.
func Random(t testing.TB) string {
	t.Helper()
	b := make([]byte, 9)
	if _, err := rand.Read(b); err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(b)
}

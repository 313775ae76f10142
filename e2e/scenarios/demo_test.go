package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// show is one start of the demonstration.
type show struct {
	cmd  *exec.Cmd
	done chan error
	mu   sync.Mutex
	text bytes.Buffer
}

// Write takes what the program prints.
func (s *show) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *show) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// play starts the demonstration with few people.
func play(t *testing.T, data string, args ...string) *show {
	t.Helper()
	bin := harness.Programs(t)
	s := &show{done: make(chan error, 1)}
	s.cmd = exec.Command(
		filepath.Join(bin, "demo"),
		append([]string{"--bin", bin, "--data", data, "--people", "300"}, args...)...)
	s.cmd.Stdout, s.cmd.Stderr = s, s
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { s.done <- s.cmd.Wait() }()
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	return s
}

// exit waits for the end and answers the exit code.
func (s *show) exit(t *testing.T) int {
	t.Helper()
	select {
	case err := <-s.done:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(harness.Patience):
		t.Fatalf("the demonstration does not end; it said:\n%s", s.said())
		return 0
	}
}

func (s *show) await(t *testing.T, words string) {
	t.Helper()
	said := ""
	harness.Eventually(t, "the demonstration says "+words, func() bool {
		said = s.said()
		return strings.Contains(said, words) || s.cmd.ProcessState != nil
	}, &said)
	if !strings.Contains(said, words) {
		t.Fatalf("the demonstration ended without saying %q:\n%s", words, said)
	}
}

// dataDir is a short-named directory for the demonstration.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "gwd-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// processes are those that work for a data directory, by their command lines or in it.
func processes(t *testing.T, data string) map[string]int {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Fatal("these tests look for processes in /proc")
	}
	found := map[string]int{}
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline") // a constant pattern cannot be malformed
	for _, path := range all {
		raw, err := os.ReadFile(path)
		// PostgreSQL's helpers show no path, but work in its directory.
		home, _ := os.Readlink(filepath.Join(filepath.Dir(path), "cwd")) // not ours: none
		if err != nil || !bytes.Contains(raw, []byte(data)) && !strings.HasPrefix(home, data) {
			continue
		}
		pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
		program, _, _ := bytes.Cut(raw, []byte{0})
		if pid != os.Getpid() {
			found[filepath.Base(string(program))] = pid
		}
	}
	return found
}

func gone(t *testing.T, data string) {
	t.Helper()
	left := ""
	harness.Eventually(t, "all processes are gone", func() bool {
		now := processes(t, data)
		left = fmt.Sprint(now)
		return len(now) == 0
	}, &left)
}

func TestANewcomerSeesThreeSystemsFlowInAndCanDoItAgain(t *testing.T) {
	t.Parallel()
	data := dataDir(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for round := range 2 {
		s := play(t, data, "--listen", taken.Addr().String(), "--once")
		if code := s.exit(t); code != 0 {
			t.Fatalf("start %d ended with exit code %d:\n%s", round+1, code, s.said())
		}
		said := s.said()
		for _, words := range []string{
			taken.Addr().String() + " is taken", "HR system", "Corporate directory", "SaaS workspace", "succeeded",
			"Findings",
			"300  people:", "active accounts of people who have left: such as",
			"uncorrelated accounts, without a known owner: such as",
			"grants inherited only through nested groups: such as", "admin@demo.example", "TOKEN=$(curl",
		} {
			if !strings.Contains(said, words) {
				t.Errorf("start %d did not say %q:\n%s", round+1, words, said)
			}
		}
		if n := strings.Count(said, "(REST, agent)"); n == 0 {
			t.Error("the HR system was not read through the agent")
		}
	}
	if info, err := os.Stat(filepath.Join(data, "demo.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("demo.json: %v, %v; want mode 0600", info, err)
	}
	gone(t, data)
}

func TestCtrlCStopsTheDemonstrationInOrder(t *testing.T) {
	t.Parallel()
	data := dataDir(t)
	s := play(t, data, "--listen", "127.0.0.1:0")
	s.await(t, "Press Ctrl-C")
	tryNext(t, data, s.said())
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := s.exit(t); code != 0 || !strings.Contains(s.said(), "Stopped.") {
		t.Errorf("Ctrl-C ended it with exit code %d:\n%s", code, s.said())
	}
	gone(t, data)
	if _, err := os.Stat(filepath.Join(data, "controlplane", "postgres", "postmaster.pid")); !errors.Is(
		err,
		os.ErrNotExist,
	) {
		t.Errorf("PostgreSQL was not shut down: %v", err)
	}
}

// tryNext signs in with what was printed and runs the commands that were proposed.
func tryNext(t *testing.T, data, said string) {
	t.Helper()
	url := regexp.MustCompile(`Console +(\S+)`).FindStringSubmatch(said)
	password := regexp.MustCompile(`with password +(\S+)`).FindStringSubmatch(said)
	if url == nil || password == nil {
		t.Fatalf("no address or no password was printed:\n%s", said)
	}
	if err := api.New(url[1]).Login(harness.Context(t), "admin@demo.example", password[1]); err != nil {
		t.Error(err)
	}
	if answer, err := http.Get(url[1] + "/docs"); err != nil || answer.StatusCode != 200 {
		t.Errorf("/docs: %v, %v", answer, err)
	}
	script := "set -e\n"
	for _, line := range strings.Split(said, "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "TOKEN=") {
			script += line + "\n"
		} else if strings.HasPrefix(line, "curl ") {
			script += strings.Replace(line, "curl -s ", "curl -sf ", 1) + "\n"
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh")
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	answers := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(answers) != 4 {
		t.Fatalf("what was proposed to try ended with %v and %d answers: %s", err, len(answers), out)
	}
	for _, a := range answers {
		if !json.Valid([]byte(a)) || strings.Contains(a, `"total":0`) {
			t.Errorf("an answer is empty or no JSON: %s", shorten(a))
		}
	}
}

func TestTheDemonstrationSaysWhichProgramDied(t *testing.T) {
	t.Parallel()
	data := dataDir(t)
	s := play(t, data, "--listen", "127.0.0.1:0")
	s.await(t, "Press Ctrl-C")
	if err := syscall.Kill(processes(t, data)["grantwright-agent"], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if code := s.exit(t); code != 1 ||
		!strings.Contains(s.said(), "the agent has ended: signal: killed. The end of its log") {
		t.Errorf("exit code %d:\n%s", code, s.said())
	}
	gone(t, data)
}

func TestNothingSurvivesADemonstrationThatIsKilled(t *testing.T) {
	t.Parallel()
	data := dataDir(t)
	s := play(t, data, "--listen", "127.0.0.1:0")
	s.await(t, "connection tested (SCIM 2.0, hosted)")
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.exit(t)
	gone(t, data)
	again := play(t, data, "--listen", "127.0.0.1:0", "--once")
	if code := again.exit(t); code != 0 || !strings.Contains(again.said(), "300  people:") {
		t.Errorf("the next start ended with exit code %d:\n%s", code, again.said())
	}
}

func TestASecondCtrlCKillsAtOnce(t *testing.T) {
	t.Parallel()
	data := dataDir(t)
	s := play(t, data, "--listen", "127.0.0.1:0")
	s.await(t, "connection tested (SCIM 2.0, hosted)")
	// A service that does not listen any more cannot stop gently.
	plane := processes(t, data)["grantwright"]
	if err := syscall.Kill(plane, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		time.Sleep(200 * time.Millisecond) // two of one kind at once would be one
	}
	if code := s.exit(t); code != 130 {
		t.Errorf("exit code %d; want 130:\n%s", code, s.said())
	}
	gone(t, data)
}

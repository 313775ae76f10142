//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/agent/internal/service"
)

// TestCrashingProcess is no test of its own: it is the agent that crashes in TestEveryCrashIsRestarted.
func TestCrashingProcess(t *testing.T) {
	dir := os.Getenv("CRASH_DIR")
	if dir == "" {
		return
	}
	keepCrashes(config.Dir(dir), slog.New(slog.DiscardHandler))
	switch os.Getenv("CRASH") {
	case "panic":
		done := make(chan struct{})
		go func() { panic("nil map, say") }()
		<-done
	case "fatal error":
		m := map[int]int{}
		for range 2 {
			go func() {
				for {
					m[1]++
				}
			}()
		}
	}
	fmt.Println("ready")
	time.Sleep(time.Minute)
}

// prevented are the exit codes after which systemd does not restart the unit.
func prevented(t *testing.T) []string {
	t.Helper()
	unit := service.Unit(service.UnitOptions{Executable: "/usr/bin/grantwright-agent", DataDir: service.StateDir})
	for line := range strings.Lines(unit) {
		if codes, ok := strings.CutPrefix(strings.TrimSpace(line), "RestartPreventExitStatus="); ok {
			return strings.Fields(codes)
		}
	}
	t.Fatal("the unit names no exit codes")
	return nil
}

func TestEveryCrashIsRestartedAndItsTextIsKept(t *testing.T) {
	t.Parallel()
	for crash, want := range map[string]string{
		"panic": "panic: nil map, say", "fatal error": "fatal", "ABRT": "SIGABRT", "QUIT": "SIGQUIT", "SEGV": "SIGSEGV",
	} {
		t.Run(crash, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			code := crashed(t, dir, crash)
			if code == 0 || slices.Contains(prevented(t), fmt.Sprint(code)) || service.Final(code) {
				t.Errorf("ended with code %d, after which nothing is restarted", code)
			}
			var logged bytes.Buffer
			keepCrashes(config.Dir(dir), slog.New(slog.NewTextHandler(&logged, nil)))
			kept, err := os.ReadFile(filepath.Join(dir, crashFile+".1"))
			if err != nil || !strings.Contains(string(kept), want) || !strings.Contains(string(kept), "goroutine") {
				t.Errorf("kept %.300q (%v); want %q", kept, err, want)
			}
			if !strings.Contains(logged.String(), "crashed before this start") {
				t.Errorf("logged %s", logged.String())
			}
			logged.Reset()
			if keepCrashes(config.Dir(dir), slog.New(slog.NewTextHandler(&logged, nil))); logged.Len() > 0 {
				t.Errorf("a crash is reported twice: %s", logged.String())
			}
		})
	}
}

// crashed runs a process that crashes and gives its exit code.
func crashed(t *testing.T, dir, crash string) int {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestCrashingProcess$")
	cmd.Env = append(os.Environ(), "CRASH_DIR="+dir, "CRASH="+crash, "GOTRACEBACK=")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	signals := map[string]syscall.Signal{"ABRT": syscall.SIGABRT, "QUIT": syscall.SIGQUIT, "SEGV": syscall.SIGSEGV}
	if signal, ok := signals[crash]; ok {
		lines := bufio.NewScanner(out)
		for lines.Scan() && lines.Text() != "ready" {
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("ended with %v; want a crash", err)
	}
	return exit.ExitCode()
}

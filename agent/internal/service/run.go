package service

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Work is what a service does until ctx ends. The number is the process's exit code.
type Work struct {
	Run   func(ctx context.Context) int
	Alive func() // returns when the inner loops answer; called by the watchdog
}

// Exit codes after which a restart is of no use. None of them is 2, the code of every crash of a Go program: a panic, a
// fatal error of the runtime, and the SIGABRT of systemd's watchdog.
const (
	NotEnrolled = 3
	Revoked     = 4
	Usage       = 64 // EX_USAGE of sysexits.h
)

// Final says whether a restart cannot mend what ended with this exit code: all went well, wrong usage, not enrolled,
// revoked.
func Final(code int) bool {
	return code == 0 || code == NotEnrolled || code == Revoked || code == Usage
}

// foreground runs until SIGINT or SIGTERM, telling systemd of it where it listens.
func foreground(w Work) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go watchdog(ctx, w.Alive)
	// Ready means that the agent runs, not that the control plane answers: a service must not fail to start because of
	// somebody else's outage.
	notify("READY=1")
	code := w.Run(ctx)
	notify("STOPPING=1")
	return code
}

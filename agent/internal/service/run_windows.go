package service

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/windows/svc"
)

// stopHint is how long the service manager may wait between two signs of life while the agent stops.
const stopHint = 10 * time.Second

// Run does the work as a service, or in the foreground. The command line says which: asking the system whether this
// process is a service is answered wrongly under Wine.
func Run(w Work, asService bool) int {
	if !asService {
		return foreground(w)
	}
	h := &handler{work: w}
	if err := svc.Run(Name, h); err != nil {
		fmt.Fprintln(os.Stderr, "run as a service:", err)
		return 1
	}
	return h.code
}

// handler answers the service manager.
type handler struct {
	work Work
	// code is the exit code that is reported to the service manager.
	code int
}

// Execute implements svc.Handler.
func (h *handler) Execute(_ []string, requests <-chan svc.ChangeRequest, status chan<- svc.Status) (bool, uint32) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan int, 1)
	go func() { ended <- h.work.Run(ctx) }()
	status <- svc.Status{State: svc.Running, Accepts: svc.AcceptStop | svc.AcceptShutdown}
	for {
		select {
		case h.code = <-ended:
			return h.exit()
		case r := <-requests:
			switch r.Cmd {
			case svc.Interrogate:
				status <- r.CurrentStatus
			case svc.Stop, svc.Shutdown:
				cancel()
				h.code = h.stopping(ended, status)
				return false, 0
			}
		}
	}
}

// stopping reports to the service manager that the agent is stopping.
func (h *handler) stopping(ended <-chan int, status chan<- svc.Status) int {
	for checkpoint := uint32(1); ; checkpoint++ {
		status <- svc.Status{State: svc.StopPending, CheckPoint: checkpoint, WaitHint: uint32(stopHint.Milliseconds())}
		select {
		case code := <-ended:
			return code
		case <-time.After(stopHint / 2):
		}
	}
}

// exit reports a failure only where a restart could mend it: the service manager restarts on it.
func (h *handler) exit() (bool, uint32) {
	if Final(h.code) {
		return false, 0
	}
	return true, uint32(h.code)
}

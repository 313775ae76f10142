package service

import (
	"context"
	"net"
	"os"
	"strconv"
	"time"
)

// notify reports the service's state to systemd (sd_notify(3)). Elsewhere it does nothing.
func notify(state string) {
	address := os.Getenv("NOTIFY_SOCKET")
	if address == "" {
		return
	}
	conn, err := net.Dial("unixgram", address)
	if err != nil {
		return // systemd will notice by its own clocks
	}
	defer conn.Close()
	_, _ = conn.Write([]byte(state))
}

// SetStatusText shows text as the service's state where the system has a place for it.
func SetStatusText(text string) { notify("STATUS=" + text) }

// watchdog proves to systemd that the agent lives, for as long as alive returns. It ends with ctx.
func watchdog(ctx context.Context, alive func()) {
	usec, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
	if err != nil || usec <= 0 {
		return
	}
	tick := time.NewTicker(time.Duration(usec) * time.Microsecond / 3)
	defer tick.Stop()
	for {
		alive()
		notify("WATCHDOG=1")
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

package embedded

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// grace is how long a server of an unknown starter may take to stop before the directory counts as in use.
	grace = 10 * time.Second
	// patience is how long a server may take to shut down before we stop being gentle. What it has not written
	// out by then is recovered from its log at the next start.
	patience = 30 * time.Second
	// settling is how long processes without a postmaster are left alone: a server at the end of its shutdown
	// looks like that, too.
	settling = 300 * time.Millisecond
	// poll is how often waiting loops look again.
	poll = 20 * time.Millisecond
)

// awaitPredecessor waits until no PostgreSQL process works in the data directory. The server of a control plane
// that was killed shuts down by itself or is signaled; backends that lost their postmaster are signaled; a
// server of another starter is never touched (*InUseError). ours is the server we started last, or 0.
func awaitPredecessor(ctx context.Context, c Config, bins binaries, ours int) error {
	began := time.Now()
	told := map[int]syscall.Signal{}
	for {
		postmaster := readPID(filepath.Join(c.Dir, postmasterPID))
		left := serversIn(c.Dir, postmaster)
		if len(left) == 0 {
			return removeStaleLocks(c.Dir)
		}
		waited := time.Since(began)
		foreign := slices.Contains(left, postmaster) && postmaster != ours
		if foreign && waited > grace {
			return &InUseError{Dir: c.Dir, PID: postmaster}
		}
		if !foreign {
			hurry(bins, left, postmaster, waited, told)
		}
		if len(told) > 0 && waited < poll {
			c.Log.InfoContext(ctx, "waiting for the previous PostgreSQL to end", "dir", c.Dir, "pids", left)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the previous PostgreSQL (process %d) to end: %w", left[0], ctx.Err())
		case <-time.After(poll):
		}
	}
}

// hurry asks what is left of an earlier server to end, each process once per kind of signal. While the
// postmaster lives it is the one to ask; its orphans are asked themselves, as the postmaster would have done.
func hurry(bins binaries, left []int, postmaster int, waited time.Duration, told map[int]syscall.Signal) {
	sig := immediate
	switch {
	case slices.Contains(left, postmaster):
		left = []int{postmaster}
		if waited < patience {
			sig = fast
		}
	case waited < settling:
		return
	case waited > grace:
		sig = syscall.SIGKILL
	}
	for _, pid := range left {
		if told[pid] != sig {
			told[pid] = sig
			_ = bins.signal(pid, sig) // gone already is as good
		}
	}
}

// postmasterPID is PostgreSQL's lock on its data directory.
const postmasterPID = "postmaster.pid"

// readPID is the process named by the first line of one of PostgreSQL's lock files, 0 when there is none. A
// single-user server writes its number negative.
func readPID(path string) int {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	line, _ := bufio.NewReader(f).ReadString('\n')
	pid, _ := strconv.Atoi(strings.TrimSpace(line))
	return max(pid, -pid)
}

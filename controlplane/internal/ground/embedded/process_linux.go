package embedded

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// running reports whether the process lives. A zombie does not: its parent may never collect it.
func running(pid int) bool {
	if pid <= 0 || !exists(pid) {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !os.IsNotExist(err)
	}
	// The state follows the command's name, which stands in parentheses and may hold any character.
	rest := stat[bytes.LastIndexByte(stat, ')')+1:]
	return !bytes.HasPrefix(rest, []byte(" Z"))
}

// serversIn lists the PostgreSQL processes that work in a data directory, the postmaster and orphans of one:
// every one of them has the directory as its working directory.
func serversIn(dir string, _ int) []int {
	home, err := os.Stat(dir)
	if err != nil {
		return nil
	}
	all, _ := filepath.Glob("/proc/[0-9]*") // a constant pattern cannot be malformed
	var pids []int
	for _, proc := range all {
		cwd, err := os.Stat(proc + "/cwd")
		if err != nil || !os.SameFile(home, cwd) {
			continue
		}
		name, _ := os.ReadFile(proc + "/comm")
		pid, _ := strconv.Atoi(filepath.Base(proc))
		if string(bytes.TrimSpace(name)) == "postgres" && running(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// removeStaleLocks removes PostgreSQL's lock files whose process id meanwhile belongs to another program or to a
// zombie: PostgreSQL would take that for a living server and refuse to start. The caller has seen that no server
// works in the directory and holds its lock.
func removeStaleLocks(dir string) error {
	for _, name := range []string{postmasterPID, ".s.PGSQL." + strconv.Itoa(socketPort) + ".lock"} {
		path := filepath.Join(dir, name)
		if pid := readPID(path); pid == 0 || !exists(pid) {
			continue
		}
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("stale lock: %w", err)
		}
	}
	return nil
}

// smallSharedMemory reports whether /dev/shm is too small for parallel queries: containers often get 64 MB.
func smallSharedMemory() bool {
	const enough = 256 << 20
	var fs syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &fs); err != nil {
		return true
	}
	return fs.Blocks*uint64(fs.Bsize) < enough
}

//go:build !linux

package embedded

// running reports whether the process lives.
func running(pid int) bool { return pid > 0 && exists(pid) }

// serversIn lists the PostgreSQL processes of a data directory; here only the postmaster is known.
func serversIn(_ string, postmaster int) []int {
	if running(postmaster) {
		return []int{postmaster}
	}
	return nil
}

// removeStaleLocks leaves the judgement to PostgreSQL.
func removeStaleLocks(string) error { return nil }

// smallSharedMemory does not apply.
func smallSharedMemory() bool { return false }

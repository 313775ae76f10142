package memlimit_test

import (
	"testing"
	"testing/fstest"

	"github.com/grantwright/grantwright/connectorkit/memlimit"
)

func TestTheLimitComesFromTheControlGroupOrTheHost(t *testing.T) {
	const gib = 1 << 30
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	host := file("MemTotal:       8388608 kB\nMemFree: 1 kB\n")
	for name, tt := range map[string]struct {
		root fstest.MapFS
		most int64
		want int64
	}{
		"nothing known": {fstest.MapFS{}, 0, 0},
		"only most":     {fstest.MapFS{}, gib, gib},
		"host":          {fstest.MapFS{"proc/meminfo": host}, 0, 4 * gib},
		"version 2": {fstest.MapFS{"proc/meminfo": host, "proc/self/cgroup": file("0::/system.slice/gw.service\n"),
			"sys/fs/cgroup/system.slice/gw.service/memory.max": file("1073741820\n"),
			"sys/fs/cgroup/memory.max":                         file("max\n")}, 0, 858993456},
		"the group above": {fstest.MapFS{"proc/meminfo": host, "proc/self/cgroup": file("0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max": file("max\n"), "sys/fs/cgroup/a/memory.max": file("5368709120\n")}, 0,
			4 * gib},
		"a container": {fstest.MapFS{"proc/meminfo": host, "proc/self/cgroup": file("0::/\n"),
			"sys/fs/cgroup/memory.max": file("5368709120\n")}, 0, 4 * gib},
		"version 1": {fstest.MapFS{"proc/meminfo": host,
			"proc/self/cgroup":                           file("5:memory:/docker/x\n4:cpu:/docker/x\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes": file("5368709120\n")}, 0, 4 * gib},
		"version 1 without a limit": {fstest.MapFS{"proc/meminfo": host, "proc/self/cgroup": file("5:memory:/\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes": file("9223372036854771712\n")}, 0, 4 * gib},
		"a group larger than the host": {fstest.MapFS{"proc/meminfo": host, "proc/self/cgroup": file("0::/\n"),
			"sys/fs/cgroup/memory.max": file("1099511627776\n")}, 0, 4 * gib},
		"most is less": {fstest.MapFS{"proc/meminfo": host}, gib, gib},
	} {
		if got := memlimit.Default(tt.root, tt.most); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}

func TestGOMEMLIMITOverrules(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "1GiB")
	if got := memlimit.Set(1 << 20); got != 0 {
		t.Errorf("it set %d", got)
	}
}

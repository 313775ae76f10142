package embedded

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
)

// Tool is the full path of one of PostgreSQL's programs, such as pg_dump, of major version atLeast or later: such
// programs work with servers as old as themselves or older. override is the folder to look in; empty: where the
// server's programs are looked for, and the PATH. It fails with *NotFoundError.
func Tool(ctx context.Context, override, name string, atLeast int) (string, error) {
	dirs := candidates(override)
	if found, err := exec.LookPath(name); err == nil && override == "" {
		dirs = append(dirs, filepath.Dir(found))
	}
	missing := &NotFoundError{
		Looked: dirs,
		Hint:   fmt.Sprintf("%s of PostgreSQL %d or later is needed: %s", name, atLeast, PendingHint(runtime.GOOS)),
	}
	for _, dir := range dirs {
		b := binaries{dir: dir}
		cmd := exec.CommandContext(ctx, b.path(name), "--version")
		cmd.Env = cleanEnv(dir)
		out, err := cmd.Output()
		if err != nil {
			continue
		}
		if m := versionLine.FindStringSubmatch(string(out)); m != nil {
			if major, err := strconv.Atoi(m[2]); err == nil && major >= atLeast {
				return b.path(name), nil
			}
		}
	}
	return "", missing
}

// AdminURL is the superuser's login, for backups: row security does not bind it. It holds a password.
func (e *Endpoint) AdminURL() string { return e.addr.url(superuser, e.secrets.Superuser, databaseName) }

package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded/roles"
)

// superuser is the cluster's first role. Only this package logs in as it, to make the other roles.
const superuser = "grantwright"

// initdb makes the cluster in a folder beside the data directory and moves it there when it is complete, so that
// an interrupted first start never leaves half a cluster behind.
func (i *installation) initdb(ctx context.Context) error {
	began := time.Now()
	dir, err := i.newClusterFolder()
	if err != nil {
		return err
	}
	args := []string{"-D", dir, "-U", superuser, "-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "-k"}
	if i.config.Fast {
		args = append(args, "--no-sync")
	}
	file, pipe, err := passwordPipe(i.secrets.Superuser+"\n", i.as)
	if err != nil {
		return fmt.Errorf("initdb: %w", err)
	}
	defer pipe.Close()
	cmd := i.command(ctx, "initdb", append(args, "--pwfile="+file)...)
	if runtime.GOOS == "windows" {
		defer os.Remove(file)
	} else {
		cmd.ExtraFiles = []*os.File{pipe}
	}
	if out, err := runWithParent(cmd); err != nil {
		return errors.Join(fmt.Errorf("initdb: %w: %s", err, lastLines(out, 5)), os.RemoveAll(dir))
	}
	if err := i.moveCluster(dir); err != nil {
		return err
	}
	i.config.Log.InfoContext(ctx, "made a new PostgreSQL cluster", "dir", i.config.Dir, "version", i.bins.version,
		"account", i.as.name, "took", time.Since(began).Round(time.Millisecond))
	return nil
}

// newClusterFolder makes the folder for initdb and clears away those of interrupted first starts.
func (i *installation) newClusterFolder() (string, error) {
	parent, prefix := filepath.Dir(i.config.Dir), filepath.Base(i.config.Dir)+".initdb-"
	entries, err := os.ReadDir(parent)
	if err != nil {
		return "", fmt.Errorf("initdb: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), prefix) {
			_ = os.RemoveAll(filepath.Join(parent, e.Name())) // a leftover only takes space
		}
	}
	dir, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return "", fmt.Errorf("initdb: %w", err)
	}
	if i.as.uid >= 0 && os.Geteuid() == 0 {
		err = os.Chown(dir, i.as.uid, i.as.gid)
	}
	return dir, err
}

// moveCluster puts the new cluster where the data directory belongs; an empty one gives way.
func (i *installation) moveCluster(dir string) error {
	err := os.Remove(i.config.Dir)
	if err == nil || errors.Is(err, os.ErrNotExist) {
		err = os.Rename(dir, i.config.Dir)
	}
	if err != nil {
		return errors.Join(
			fmt.Errorf("put the new cluster in place (the data directory must not be a mount point): %w", err),
			os.RemoveAll(dir),
		)
	}
	return nil
}

// resetSuperuser gives the superuser the password we know, through a single-user server that asks for none.
// EnsureRoles does the same for the other logins.
func (i *installation) resetSuperuser(ctx context.Context) error {
	verifier, err := roles.ScramVerifier(i.secrets.Superuser)
	if err != nil {
		return err
	}
	cmd := i.command(ctx, "postgres", "--single", "-D", i.config.Dir, "postgres")
	cmd.Stdin = strings.NewReader("alter role " + superuser + " login password '" + verifier + "'\n")
	if out, err := runWithParent(cmd); err != nil {
		return fmt.Errorf("reset the cluster's passwords: %w: %s", err, lastLines(out, 3))
	}
	i.config.Log.WarnContext(ctx, "the cluster's passwords were missing: made new ones", "dir", i.config.Dir)
	return nil
}

// command is one of PostgreSQL's programs as the account, with nothing of our environment.
func (i *installation) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, i.bins.path(program), args...)
	cmd.Env = cleanEnv(i.bins.dir)
	cmd.Dir = filepath.VolumeName(i.bins.dir) + string(filepath.Separator)
	cmd.SysProcAttr = i.as.attr()
	return cmd
}

// runWithParent runs a short program to its end; it is stopped when this process dies or the context ends.
func runWithParent(cmd *exec.Cmd) ([]byte, error) {
	dieWithParent(cmd.SysProcAttr, syscall.SIGTERM)
	if runtime.GOOS != "windows" {
		cmd.Cancel = func() error { return cmd.Process.Signal(terminate) }
	}
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	// The signal at the parent's death follows the thread that started the child.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Run()
	return out.Bytes(), err
}

// lastLines is the end of a program's output on one line, for an error's text.
func lastLines(out []byte, n int) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}

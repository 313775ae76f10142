package embedded

import (
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"syscall"
)

// account is whom PostgreSQL's processes run as. PostgreSQL refuses to run as root.
type account struct {
	name string
	// uid and gid own the data directory, as this process sees them; -1 leaves ownership alone.
	uid, gid int
	// attr makes the attributes of a process of this account.
	attr func() *syscall.SysProcAttr
}

// UnreachableError says that root found no account that could run PostgreSQL on the data directory.
type UnreachableError struct {
	Dir   string
	Tried []string // each account with what stood in its way
}

// Error says what was tried and what to change.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("PostgreSQL does not run as root, and no other account can work in %s (%s): "+
		"choose a data directory (--data) whose parents others may enter, run as an ordinary user, or allow user "+
		"namespaces",
		e.Dir, strings.Join(e.Tried, "; "))
}

// own hands an existing data directory over to the account, when it came from another one: copied by root, or
// used as another user before.
func (a account) own(dir string, log *slog.Logger) error {
	if a.uid < 0 {
		return nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	if uid, known := owner(info); !known || uid == a.uid || os.Geteuid() != 0 {
		return nil
	}
	log.Info("handing the data directory over", "dir", dir, "account", a.name)
	return chownTree(dir, a.uid, a.gid)
}

// chownTree changes the owner of everything in dir; of symbolic links themselves, and never of anything outside.
func chownTree(dir string, uid, gid int) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return root.Lchown(path, uid, gid)
	})
}

package embedded

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// fallbackUID is the usual number of the user nobody, for systems without an entry for it.
const fallbackUID = 65534

// chooseAccount finds whom to run as. An ordinary user runs PostgreSQL itself. Root drops to the data
// directory's owner, else to postgres, else to nobody; where none of them gets through to the directory
// (somewhere below /root, say) it stays root outside and is an ordinary user inside a user namespace.
func chooseAccount(ctx context.Context, dir string, bins binaries) (account, error) {
	uid := os.Geteuid()
	if uid != 0 {
		if _, err := user.LookupId(strconv.Itoa(uid)); err == nil {
			return account{name: "uid " + strconv.Itoa(uid), uid: uid, gid: os.Getegid(), attr: bareAttr}, nil
		}
		// initdb refuses a user without an entry in the user database, as containers often have.
		return inNamespace(uid, os.Getegid()), nil
	}
	failed := &UnreachableError{Dir: dir}
	for _, a := range accountsForRoot(dir) {
		err := probe(ctx, a, dir, bins)
		if err == nil {
			return a, nil
		}
		failed.Tried = append(failed.Tried, fmt.Sprintf("%s: %v", a.name, err))
	}
	if ctx.Err() != nil {
		return account{}, ctx.Err()
	}
	return account{}, failed
}

// accountsForRoot lists whom root may run PostgreSQL as, best first.
func accountsForRoot(dir string) []account {
	usual := []account{named("postgres"), named("nobody"), inNamespace(0, 0)}
	info, err := os.Stat(filepath.Join(dir, "PG_VERSION"))
	if err != nil {
		return usual
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return usual
	case stat.Uid == 0:
		return []account{usual[2], usual[0], usual[1]}
	default:
		return append([]account{dropped("the directory's owner", int(stat.Uid), int(stat.Gid))}, usual...)
	}
}

// named is the account of a user of this system; nobody exists everywhere, if only as a number.
func named(name string) account {
	uid, gid := lookup(name)
	return dropped(name, uid, gid)
}

func lookup(name string) (uid, gid int) {
	u, err := user.Lookup(name)
	if err != nil {
		return fallbackUID, fallbackUID
	}
	uid, _ = strconv.Atoi(u.Uid) // numbers on every Unix
	gid, _ = strconv.Atoi(u.Gid)
	return uid, gid
}

// dropped is root giving up its rights for those of an ordinary user.
func dropped(name string, uid, gid int) account {
	return account{name: name, uid: uid, gid: gid, attr: func() *syscall.SysProcAttr {
		a := bareAttr()
		a.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return a
	}}
}

// inNamespace is the given user, seen as an ordinary one with an entry in the user database from inside a user
// namespace of its own.
func inNamespace(uid, gid int) account {
	innerUID, innerGID := lookup("nobody")
	return account{name: "user namespace", uid: uid, gid: gid, attr: func() *syscall.SysProcAttr {
		a := bareAttr()
		a.Cloneflags = syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: innerUID, HostID: uid, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: innerGID, HostID: gid, Size: 1}}
		return a
	}}
}

// bareAttr puts PostgreSQL in its own process group: a Ctrl-C is for us, who stop the server after draining.
func bareAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// probe reports whether the account can run the binaries and enter the data directory's parent.
func probe(ctx context.Context, a account, dir string, bins binaries) error {
	cmd := exec.CommandContext(ctx, bins.path("postgres"), "--version")
	cmd.Env = cleanEnv(bins.dir)
	cmd.Dir = filepath.Dir(dir)
	cmd.SysProcAttr = a.attr()
	return cmd.Run()
}

// dieWithParent sends the process a signal when the thread that starts it ends.
func dieWithParent(attr *syscall.SysProcAttr, sig syscall.Signal) { attr.Pdeathsig = sig }

package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/agent/internal/dial"
	"github.com/grantwright/grantwright/agent/internal/policy"
)

// noRight is the advice for files that the user may not read.
const noRight = "Run it as root or as the service's user to look at this too."

// config reads how the control plane is reached.
func (e *exam) config(context.Context) finding {
	settings, err := e.Dir.LoadSettings()
	switch {
	case e.Settings != nil:
		settings = *e.Settings
	case errors.Is(err, config.ErrNotEnrolled):
		f := skip("this host is not enrolled: %s holds no settings", e.Dir)
		f.mend = "Run grantwright-agent enroll, or give doctor the address to try with --url."
		return f
	case errors.Is(err, fs.ErrPermission):
		f := skip("this user is not allowed to read %s", e.Dir)
		f.mend = noRight
		return f
	case err != nil:
		return fail("Enrol again with --replace, or restore the file from a backup.", "%v", err)
	}
	e.settings = settings
	if e.dialer, err = dial.New(settings); err != nil {
		return fail(e.correct(), "%v", err)
	}
	if settings.SpoolMiB != nil {
		e.limit = int64(*settings.SpoolMiB) << 20
	}
	proxy, err := e.dialer.ProxyFor()
	if err != nil {
		e.dialer = nil
		return fail("Mend HTTPS_PROXY or the proxy given at enrolment.", "%v", err)
	}
	via := "directly"
	if proxy != nil {
		e.proxied = proxy.Host
		via = "through the proxy " + proxy.Host
	}
	return pass("%s, %s", e.dialer.Base, via)
}

// correct says how to mend settings that cannot be used.
func (e *exam) correct() string {
	if e.Settings != nil {
		return "Correct --url, --ca-file or --proxy."
	}
	return "Enrol again with --replace and the right settings."
}

// dataDir looks who may read and whether the agent may write.
func (e *exam) dataDir(context.Context) finding {
	info, err := os.Stat(string(e.Dir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return skip("%s does not exist yet", e.Dir)
	case errors.Is(err, fs.ErrPermission):
		return unseen(e.Dir)
	case err != nil:
		return fail("Look at the disk and its mount.", "%v", err)
	case !info.IsDir():
		return fail("Give another --data, or remove the file.", "%s is no directory", e.Dir)
	}
	err = e.Dir.CheckPrivate()
	switch {
	case errors.Is(err, fs.ErrPermission):
		return unseen(e.Dir)
	case err != nil:
		return fail(e.close(), "%v", err)
	}
	f, err := os.CreateTemp(string(e.Dir), ".doctor.*")
	if errors.Is(err, fs.ErrPermission) {
		return unseen(e.Dir)
	}
	if err != nil {
		return fail("The agent must be able to write there: look for a full disk, or one mounted read-only.", "%v", err)
	}
	f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return fail("The agent must be able to delete there.", "%v", err)
	}
	return pass("%s is closed to other users and can be written to", e.Dir)
}

// close says what to do about a data directory that others can read: only keys that are in use need new ones.
func (e *exam) close() string {
	if _, err := e.Dir.LoadState(); errors.Is(err, config.ErrNotEnrolled) {
		return "Close it to other users before you enrol this host."
	}
	return "Close it to other users; if others may have read it, enrol again with --replace."
}

// unseen is the finding about a directory that the user may not read.
func unseen(dir config.Dir) finding {
	f := skip("this user is not allowed to read %s", dir)
	f.mend = noRight
	return f
}

// identity reads the keys and the membership.
func (e *exam) identity(context.Context) finding {
	state, err := e.Dir.LoadState()
	switch {
	case errors.Is(err, config.ErrNotEnrolled):
		return skip("this host is not enrolled")
	case errors.Is(err, fs.ErrPermission):
		return unseen(e.Dir)
	case err != nil:
		return fail("Enrol again with --replace, or restore the file from a backup.", "%v", err)
	}
	e.enrolled = true
	keys, err := e.Dir.LoadKeys()
	switch {
	case errors.Is(err, fs.ErrPermission):
		return unseen(e.Dir)
	case err != nil:
		return fail("The agent cannot prove who it is: enrol again with --replace.", "%v", err)
	}
	e.state, e.keys, e.keyed = state, keys, true
	return pass("%s (%s), identity key %s", state.Name, state.AgentID, keys.IdentityFingerprint())
}

const (
	needed  = 100 << 20       // bytes of disk without which little can be put aside
	perDial = 5 * time.Second // for a target to answer
)

// spool looks whether there is room for what waits for the control plane.
func (e *exam) spool(context.Context) finding {
	if e.limit == 0 {
		return skip("the spool is switched off")
	}
	free, err := freeBytes(string(e.Dir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return skip("%s does not exist yet", e.Dir)
	case errors.Is(err, fs.ErrPermission):
		return unseen(e.Dir)
	case err != nil:
		return fail("Look at the disk and its mount.", "the free space of %s cannot be determined: %v", e.Dir, err)
	case free < needed:
		return fail("Make room on that disk.", "only %d MiB are free on the disk of %s", free>>20, e.Dir)
	case free < e.limit:
		return pass("WARN: %d MiB are free, less than the %d MiB that the spool may use", free>>20, e.limit>>20)
	}
	return pass("%d MiB are free; the spool may use %d MiB", free>>20, e.limit>>20)
}

// policy returns the special addresses that connectors may connect to.
func (e *exam) policy(context.Context) finding {
	settings, err := e.Dir.LoadSettings()
	switch {
	case errors.Is(err, fs.ErrPermission):
		return unseen(e.Dir)
	case errors.Is(err, config.ErrNotEnrolled) && e.AllowTargets == "":
		return skip("this host is not enrolled")
	case err != nil && !errors.Is(err, config.ErrNotEnrolled):
		return skip("allow_targets cannot be read: %v", err)
	}
	e.allowed, err = policy.Parse(append(settings.AllowTargets, e.AllowTargets)...)
	if err != nil {
		return fail(
			"Correct allow_targets in config.json, or "+policy.Env+": the agent does not start with it.",
			"%v",
			err,
		)
	}
	const refused = "connectors connect to no loopback, link-local or metadata address"
	if list := e.allowed.Allowed(); len(list) > 0 {
		return pass("%s but those allowed: %s", refused, strings.Join(list, ", "))
	}
	return pass("%s; to allow one, set allow_targets in config.json, or %s", refused, policy.Env)
}

// targets tries the addresses that connectors reached lately.
func (e *exam) targets(ctx context.Context) finding {
	known, err := e.Dir.LoadTargets()
	switch {
	case errors.Is(err, fs.ErrPermission):
		return unseen(e.Dir)
	case err != nil:
		return skip("what is known of targets cannot be read: %v", err)
	case len(known) == 0:
		return skip("no connector has reached a target from here yet")
	}
	errs := make([]error, len(known))
	var trying sync.WaitGroup
	for i, k := range known {
		trying.Go(func() { errs[i] = e.knock(ctx, k) })
	}
	trying.Wait()
	if err := errors.Join(errs...); err != nil {
		return fail(
			"Look whether the target runs, at firewalls between it and this host, and at allow_targets for an "+
				"address of this host.",
			"%s",
			strings.ReplaceAll(err.Error(), "\n", "; "),
		)
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = k.Address
	}
	return pass("%s", strings.Join(names, ", "))
}

// knock connects to a target that connectors reached before, under the same policy, and hangs up.
func (e *exam) knock(ctx context.Context, k config.Target) error {
	conn, err := e.allowed.Dial(net.Dialer{Timeout: perDial})(ctx, "tcp", k.Address)
	if err != nil {
		return fmt.Errorf("%s, last reached %s: %w", k.Address, k.At.UTC().Format(time.RFC3339), err)
	}
	return conn.Close()
}

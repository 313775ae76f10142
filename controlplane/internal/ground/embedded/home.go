package embedded

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// home knows the paths of one installation: PostgreSQL's data directory, and beside it our control directory,
// which only our own account may enter.
type home struct {
	data string
}

func (h home) control(name string) string { return filepath.Join(h.data+".control", name) }

// InUseError says that another process works on the data directory.
type InUseError struct {
	Dir string
	// PID is the other control plane or server, 0 when it could not be learned.
	PID int
}

// Error names the process that holds the directory.
func (e *InUseError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("the data directory %s is in use by another process", e.Dir)
	}
	return fmt.Sprintf(
		"the data directory %s is in use by process %d: stop that one first, or choose another directory",
		e.Dir,
		e.PID,
	)
}

// dirLock is held by the one control plane that may use the data directory; the system drops it with the process.
type dirLock struct {
	file *os.File
}

// lock takes the lock, or fails with *InUseError.
func (h home) lock() (*dirLock, error) {
	if err := os.MkdirAll(h.control(""), 0o700); err != nil {
		return nil, fmt.Errorf("control directory: %w", err)
	}
	file, err := lockFile(h.control("lock"))
	if errors.Is(err, errLocked) {
		text, _ := os.ReadFile(h.control("pid"))
		pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		return nil, &InUseError{Dir: h.data, PID: pid}
	}
	if err != nil {
		return nil, fmt.Errorf("lock the data directory: %w", err)
	}
	l := &dirLock{file: file}
	if err := os.WriteFile(h.control("pid"), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		l.release()
		return nil, fmt.Errorf("lock the data directory: %w", err)
	}
	return l, nil
}

func (l *dirLock) release() {
	if l != nil {
		_ = l.file.Close() // closing drops the lock; there is nothing to do about an error
	}
}

// clusterVersion is the major version of PostgreSQL that made the data directory, 0 when there is none yet.
// A directory that holds other things is refused.
func (h home) clusterVersion() (int, error) {
	text, err := os.ReadFile(filepath.Join(h.data, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		entries, err := os.ReadDir(h.data)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return 0, fmt.Errorf("data directory: %w", err)
		}
		if len(entries) > 0 {
			return 0, fmt.Errorf(
				"the directory is neither empty nor a PostgreSQL data directory (it holds %q): choose another one",
				entries[0].Name(),
			)
		}
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("data directory: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || major <= 0 {
		return 0, fmt.Errorf("PG_VERSION holds %q instead of a version", strings.TrimSpace(string(text)))
	}
	return major, nil
}

// note is the runtime file: what other commands of the same installation need to know of the running server.
type note struct {
	ControlPlane int    `json:"control_plane_pid"`
	Postmaster   int    `json:"postmaster_pid"`
	Host         string `json:"host,omitempty"` // a folder with the Unix socket, or a loopback address
	Port         int    `json:"port,omitempty"`
	Ready        bool   `json:"ready"`
}

func (h home) writeNote(n note) error { return writeJSON(h.control("runtime.json"), n) }

// readNote returns the zero note when there is none or it cannot be read: it is a hint, never the truth.
func (h home) readNote() note {
	var n note
	text, err := os.ReadFile(h.control("runtime.json"))
	if err != nil || json.Unmarshal(text, &n) != nil {
		return note{}
	}
	return n
}

func (h home) dropNote() { _ = os.Remove(h.control("runtime.json")) }

// secrets are the passwords of the cluster's three logins. Only their SCRAM verifiers ever reach PostgreSQL.
type secrets struct {
	Superuser string `json:"superuser"`
	Owner     string `json:"owner"`
	App       string `json:"app"`
}

// secrets reads the passwords, or makes and stores new ones (fresh).
func (h home) secrets() (s secrets, fresh bool, err error) {
	s, err = h.readSecrets()
	if errors.Is(err, os.ErrNotExist) {
		s = secrets{Superuser: rand.Text(), Owner: rand.Text(), App: rand.Text()}
		return s, true, writeJSON(h.control("secrets.json"), s)
	}
	return s, false, err
}

func (h home) readSecrets() (s secrets, err error) {
	text, err := os.ReadFile(h.control("secrets.json"))
	if err != nil {
		return s, fmt.Errorf("read the database passwords: %w", err)
	}
	// The decoder's error is not passed on: it may quote the text.
	if json.Unmarshal(text, &s) != nil || s.Superuser == "" || s.Owner == "" || s.App == "" {
		return s, fmt.Errorf("%s is damaged: move it away and new passwords are made", h.control("secrets.json"))
	}
	return s, nil
}

// writeJSON replaces a file at once and durably, readable by our own account alone.
func writeJSON(path string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}

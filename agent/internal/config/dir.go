// Package config is what an agent keeps on its host: its settings, its keys, the state of its membership, and a status
// file for people and scripts. All of it lies in one data directory that only the agent's account and administrators
// can read.
package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Names of the files in the data directory.
const (
	settingsFile = "config.json"
	identityFile = "identity.key"
	sealingFile  = "sealing.key"
	stateFile    = "agent.json"
	statusFile   = "status.json"
	caFile       = "ca.pem"
	drainFile    = "drain"
	spoolDir     = "spool"
	journalFile  = "journal.ndjson"
)

// ErrNotEnrolled is returned where the data directory holds no membership yet.
var ErrNotEnrolled = errors.New("not enrolled: run `grantwright-agent enroll` first")

// Dir is an agent's data directory.
type Dir string

// Prepare makes the directory, closed to other users (0700, on Windows an access list for SYSTEM, administrators and
// the owner).
func (d Dir) Prepare() error {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return fmt.Errorf("make data directory: %w", err)
	}
	if err := protect(string(d)); err != nil {
		return fmt.Errorf("close data directory to other users: %w", err)
	}
	return nil
}

// CheckPrivate says which file of the directory, or whether the directory itself, is open to other users.
func (d Dir) CheckPrivate() error {
	for _, name := range []string{"", settingsFile, stateFile, identityFile, sealingFile, journalFile} {
		if err := checkPrivate(d.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Spool is the directory of what waits for the control plane.
func (d Dir) Spool() string { return d.path(spoolDir) }

// Journal is the file that remembers which changes of target systems were made.
func (d Dir) Journal() string { return d.path(journalFile) }

// Drain says whether the operator wants the agent to take no new tasks.
func (d Dir) Drain() bool {
	_, err := os.Stat(d.path(drainFile))
	return err == nil
}

// SetDrain leaves the operator's wish for the agent that runs, or takes it back.
func (d Dir) SetDrain(on bool) error {
	if on {
		return d.write(drainFile, nil, false)
	}
	if err := os.Remove(d.path(drainFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("end the drain: %w", err)
	}
	return nil
}

// path is the path of a file in the directory.
func (d Dir) path(name string) string { return filepath.Join(string(d), name) }

// write replaces a file in one step, so that a crash leaves the old one or the new one, never half of either.
// durable also waits for the disk.
func (d Dir) write(name string, data []byte, durable bool) error {
	f, err := os.CreateTemp(string(d), "."+name+".*") // made with mode 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer os.Remove(f.Name()) // does nothing after the rename
	_, err = f.Write(data)
	if err == nil && durable {
		err = f.Sync()
	}
	if err == nil {
		err = adopt(f, string(d))
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), d.path(name))
	}
	if err == nil && durable {
		err = syncDir(string(d))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// writeJSON writes a value as indented JSON. durable waits until it is on the disk.
func (d Dir) writeJSON(name string, v any, durable bool) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return d.write(name, append(data, '\n'), durable)
}

// readJSON reads a file. A file that is not JSON is reported as damaged, with its path.
func (d Dir) readJSON(name string, v any) error {
	data, err := os.ReadFile(d.path(name))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s is damaged: %w", d.path(name), err)
	}
	return nil
}

// exists turns the error of reading a file into whether it is there.
func exists(err error) (bool, error) {
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

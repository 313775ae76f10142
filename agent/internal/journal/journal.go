// Package journal remembers what an agent has changed in target systems, by the idempotency key of each change. A
// change that is sent again, because its answer was lost or the agent died, is answered from here and not made again.
//
// It is one file of lines, each written and synced before the work that it records goes on: that a change begins, and
// became of it. What is kept of an answer names records and holds no attributes of them.
package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Keep is how long a change is remembered.
const Keep = 24 * time.Hour

// compactAt is how many lines more than entries the file may have before it is written anew.
const compactAt = 10_000

// ErrRunning says that a change of the key is being made at this moment.
var ErrRunning = errors.New("this change is being made at this moment")

// Journal is open on one file. Its methods may be called by any goroutine.
type Journal struct {
	path string
	now  func() time.Time

	mu    sync.Mutex
	file  *os.File
	lines int
	// entries are the changes by their idempotency key; lines counts those of the file, which is
	// rewritten when it has grown.
	entries map[string]*entry
}

// entry is one line, and what is known of a change.
type entry struct {
	Key    string                `json:"key"`
	At     time.Time             `json:"at"`
	Answer *v1.ProvisionResponse `json:"answer,omitempty"` // nil: it has begun
	Void   bool                  `json:"void,omitempty"`   // nothing was changed: it may be tried again

	running bool // in this process
}

// Open reads the file, or makes it, and forgets what is old. A last line that was cut off by a crash is ignored: what
// it was to tell of had not gone on.
func Open(path string, now func() time.Time) (*Journal, error) {
	j := &Journal{path: path, now: now, entries: map[string]*entry{}}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	scan := bufio.NewScanner(bytes.NewReader(data))
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		var e entry
		if json.Unmarshal(scan.Bytes(), &e) == nil && e.Key != "" {
			j.take(&e)
		}
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	return j, j.compact()
}

// take enters an entry that was read or written. A void one removes its key.
func (j *Journal) take(e *entry) {
	if e.Void {
		delete(j.entries, e.Key)
		return
	}
	j.entries[e.Key] = e
}

// Begin notes that a change begins. With a known key it does not: it gives the answer that is kept. One that began and
// whose end is unknown is answered as unknown, once. The caller must read, and may then send the key again.
func (j *Journal) Begin(key string) (*v1.ProvisionResponse, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch e := j.entries[key]; {
	case e != nil && e.running:
		return nil, ErrRunning
	case e != nil && e.Answer != nil:
		answer := *e.Answer
		answer.Replayed = true
		return &answer, nil
	case e != nil:
		if err := j.write(&entry{Key: key, At: j.now().UTC(), Void: true}); err != nil {
			return nil, err
		}
		return interrupted(), nil
	}
	e := &entry{Key: key, At: j.now().UTC(), running: true}
	return nil, j.write(e)
}

// interrupted is the answer to a change whose end is unknown.
func interrupted() *v1.ProvisionResponse {
	text := "the agent was stopped while it made this change"
	return &v1.ProvisionResponse{Outcome: v1.OutcomeUnknown, Replayed: true, Error: &text, ErrorDetail: &v1.ErrorDetail{
		Class: v1.ClassTransient, Code: "interrupted", Message: text, Retryable: true,
		Hint: "The target may have been changed or not; it is read before anything is sent again.",
	}}
}

// End notes what became of a change that Begin let go on. A nil answer says that nothing was changed.
func (j *Journal) End(key string, answer *v1.ProvisionResponse) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	e := &entry{Key: key, At: j.now().UTC(), Void: answer == nil}
	if answer != nil {
		e.Answer = bare(answer)
	}
	if err := j.write(e); err != nil {
		// Whatever the disk says, it is over in this process; after a restart it counts as interrupted.
		if old := j.entries[key]; old != nil {
			old.running = false
		}
		return err
	}
	if j.lines-len(j.entries) > compactAt {
		return j.compact()
	}
	return nil
}

// Loosen notes that a change was given up without knowing what became of it: sent again, it is answered as unknown.
func (j *Journal) Loosen(key string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e := j.entries[key]; e != nil {
		e.running = false
	}
}

// bare is an answer without its personal data.
func bare(answer *v1.ProvisionResponse) *v1.ProvisionResponse {
	kept := &v1.ProvisionResponse{
		Success:    answer.Success,
		Outcome:    answer.Outcome,
		Grant:      answer.Grant,
		Verified:   answer.Verified,
		ExecutedBy: answer.ExecutedBy,
	}
	if a := answer.Account; a != nil {
		kept.Account = &v1.RemoteAccount{
			ExternalID:     a.ExternalID,
			NativeRef:      a.NativeRef,
			NativeIdentity: a.NativeIdentity,
			Username:       a.Username,
			IsDisabled:     a.IsDisabled,
			IsLocked:       a.IsLocked,
		}
	}
	return kept
}

// write appends a line and waits until it is on the disk. j.mu is held.
func (j *Journal) write(e *entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	if err := j.file.Sync(); err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	j.lines++
	j.take(e)
	return nil
}

// compact writes the file anew with the entries still needed. The caller holds j.mu, or has the only reference.
func (j *Journal) compact() error {
	old := j.now().Add(-Keep)
	var all bytes.Buffer
	for key, e := range j.entries {
		if e.At.Before(old) && !e.running {
			delete(j.entries, key)
			continue
		}
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("write journal: %w", err)
		}
		all.Write(append(line, '\n'))
	}
	if j.file != nil {
		_ = j.file.Close() // every line of it is on the disk already
	}
	next := j.path + ".new"
	if err := replace(next, j.path, all.Bytes()); err != nil {
		return err
	}
	file, err := os.OpenFile(j.path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open journal: %w", err)
	}
	j.file, j.lines = file, len(j.entries)
	return nil
}

// replace writes a file beside the old one, durably, and puts it in its place, so that a crash
// leaves the one or the other.
func replace(next, path string, data []byte) error {
	file, err := os.OpenFile(next, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	return nil
}

// Close closes the file.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.file.Close()
}

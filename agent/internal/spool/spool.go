// Package spool keeps pages on disk that the control plane has no room for yet, so that a target whose cursors expire
// can be read on meanwhile. What it writes is encrypted with a key that exists in this process's memory alone: after
// the process has ended, however it ended, nobody can read what is left of it, and the next start deletes it.
package spool

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// DefaultMax is how much a spool may hold, in bytes.
const DefaultMax = 512 << 20

// block is what a file costs at least, in bytes: a disk is filled by many small files too.
const block = 4 << 10

// ErrFull is returned by Put when the spool holds as much as it may.
var ErrFull = errors.New("the spool is full")

// Spool is a directory with a bound. Its methods may be called by any goroutine.
type Spool struct {
	dir  string
	max  int64
	aead cipher.AEAD

	mu      sync.Mutex
	bytes   int64
	queues  uint64
	failure error // why the last write failed; nil after one that did not
}

// Open empties dir, or makes it, and bounds what it may hold to max bytes; 0 means DefaultMax.
func Open(dir string, max int64) (*Spool, error) {
	if max <= 0 {
		max = DefaultMax
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, fmt.Errorf("delete what an earlier process left in the spool: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make spool: %w", err)
	}
	aead, err := newCipher()
	if err != nil {
		return nil, fmt.Errorf("make spool: %w", err)
	}
	return &Spool{dir: dir, max: max, aead: aead}, nil
}

// newCipher is AES-256-GCM with a key that only this process has: what a crash leaves on the disk
// cannot be read.
func newCipher() (cipher.AEAD, error) {
	var key [32]byte
	rand.Read(key[:]) // never fails
	c, err := aes.NewCipher(key[:])
	clear(key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(c)
}

// Bytes is what the spool holds, as it counts against Max.
func (s *Spool) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// Max is the bound, in bytes.
func (s *Spool) Max() int64 { return s.max }

// Failure is why the disk took nothing the last time it was tried, nil when it did.
func (s *Spool) Failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

// Queue makes an empty queue.
func (s *Spool) Queue() *Queue {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queues++
	return &Queue{spool: s, number: s.queues}
}

// reserve counts size bytes in, or says that there is no room.
func (s *Spool) reserve(size int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes+size > s.max {
		return ErrFull
	}
	s.bytes += size
	return nil
}

// release gives room back.
func (s *Spool) release(size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytes -= size
}

// note keeps the outcome of the last write, which doctor and heartbeats show.
func (s *Spool) note(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = err
}

// Queue holds the pages of one task in the order they were put. One goroutine puts while another takes.
type Queue struct {
	spool  *Spool
	number uint64

	mu sync.Mutex
	// sizes are in bytes, as they count against the bound.
	sizes []int64 // of the files that are there, the oldest first
	first uint64  // number of the oldest
	done  bool
}

// Put adds data as the last page. It fails with ErrFull when there is no room, and with the disk's error when that
// takes no more; either way the page is not in the queue.
func (q *Queue) Put(data []byte) error {
	size := max(int64(len(data)+q.spool.aead.Overhead()), block)
	if err := q.spool.reserve(size); err != nil {
		return err
	}
	q.mu.Lock()
	n, done := q.first+uint64(len(q.sizes)), q.done
	q.mu.Unlock()
	err := errors.New("the queue was closed")
	if !done {
		err = q.write(n, data)
		q.spool.note(err)
	}
	if err != nil {
		q.spool.release(size)
		return fmt.Errorf("write to the spool: %w", err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.done { // closed while the page was written
		_ = os.Remove(q.path(n))
		q.spool.release(size)
		return nil
	}
	q.sizes = append(q.sizes, size)
	return nil
}

// write makes page n's file. It is not synced: after a crash nobody could read it.
func (q *Queue) write(n uint64, data []byte) error {
	sealed := q.spool.aead.Seal(make([]byte, 0, len(data)+q.spool.aead.Overhead()), nil, data, q.label(n))
	f, err := create(q.path(n))
	if err != nil {
		return err
	}
	_, err = f.Write(sealed)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		_ = os.Remove(q.path(n)) // half a page would only take up what is missing
	}
	return err
}

// create makes a page's file. Tests put a full disk in its place.
var create = createFile

// createFile makes a new file that only its owner may read. One of the name is an error.
func createFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}

// Oldest reads the first page and leaves it in the queue, so that Len tells until Drop that it is still under way. The
// queue must not be empty.
func (q *Queue) Oldest() ([]byte, error) {
	q.mu.Lock()
	n := q.first
	q.mu.Unlock()
	sealed, err := os.ReadFile(q.path(n))
	if err != nil {
		return nil, fmt.Errorf("read from the spool: %w", err)
	}
	data, err := q.spool.aead.Open(sealed[:0], nil, sealed, q.label(n))
	if err != nil {
		return nil, fmt.Errorf("a page in the spool was changed on the disk: %w", err)
	}
	return data, nil
}

// Drop deletes the first page.
func (q *Queue) Drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.sizes) > 0 {
		q.drop()
	}
}

// drop deletes the oldest file and gives its room back.
func (q *Queue) drop() {
	// A file that cannot be deleted is deleted at the next start; its room must not be given away until then.
	if os.Remove(q.path(q.first)) == nil {
		q.spool.release(q.sizes[0])
	}
	q.sizes = q.sizes[1:]
	q.first++
}

// Len is how many pages there are.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.sizes)
}

// Close deletes all pages. Put fails from then on.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.done = true
	for len(q.sizes) > 0 {
		q.drop()
	}
}

// path is the path of the n-th file.
func (q *Queue) path(n uint64) string {
	return filepath.Join(q.spool.dir, fmt.Sprintf("%d-%d", q.number, n))
}

// label binds a page to its place: a file that was moved cannot pass for another.
func (q *Queue) label(n uint64) []byte {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], q.number)
	binary.BigEndian.PutUint64(b[8:], n)
	return b[:]
}

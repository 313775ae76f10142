package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Cost of a hash: 19 MiB, two passes, one lane, the least that OWASP's password storage guide asks for; about 22 ms.
const (
	memory  = 19 * 1024 // KiB
	passes  = 2
	lanes   = 1
	tagSize = 32
	salt    = 16
)

const (
	queueLength = 64
	queueWait   = 2 * time.Second
)

// Desk hashes passwords, a few at a time. Who waits longer than two seconds, or comes when 64 wait already, gets a
// fault of kind Unavailable.
type Desk struct {
	slots   chan struct{}
	waiting atomic.Int64
}

// NewDesk makes a desk with a place for each processor, at least two.
func NewDesk() *Desk { return &Desk{slots: make(chan struct{}, max(2, runtime.NumCPU()))} }

// Do runs work, which hashes, in one of the places.
func (d *Desk) Do(ctx context.Context, work func() error) error {
	if err := d.enter(ctx); err != nil {
		return err
	}
	defer func() { <-d.slots }()
	return work()
}

func (d *Desk) enter(ctx context.Context) error {
	select {
	case d.slots <- struct{}{}:
		return nil
	default:
	}
	if d.waiting.Add(1) > queueLength {
		d.waiting.Add(-1)
		return overloaded()
	}
	defer d.waiting.Add(-1)
	timer := time.NewTimer(queueWait)
	defer timer.Stop()
	select {
	case d.slots <- struct{}{}:
		return nil
	case <-timer.C:
		return overloaded()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func overloaded() error {
	f := fault.Coded(fault.Unavailable, "temporarily_overloaded", "too many people sign in at this moment; try again")
	f.RetryAfter = time.Second
	return f
}

// Hash makes the stored form of a password.
func Hash(plain string) string {
	s := make([]byte, salt)
	_, _ = rand.Read(s)
	tag := argon2.IDKey([]byte(Normal(plain)), s, passes, memory, lanes, tagSize)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, memory, passes, lanes,
		base64.RawStdEncoding.EncodeToString(s), base64.RawStdEncoding.EncodeToString(tag))
}

// Nobody is a stored form that no password matches. Verifying against it costs what verifying against a real one does.
var Nobody = sync.OnceValue(func() string { return Hash(rand.Text()) })

// Verify compares a password with its stored form. outdated says that the form was made at another cost and should be
// made anew while the password is at hand. It returns an error when the form cannot be read.
func Verify(stored, plain string) (ok, outdated bool, err error) {
	var version, m, t, p uint32
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" {
		return false, false, errors.New("a stored password is not in argon2id's form")
	}
	_, errVersion := fmt.Sscanf(parts[2], "v=%d", &version)
	_, errCost := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &m, &t, &p)
	s, errSalt := base64.RawStdEncoding.DecodeString(parts[4])
	want, errTag := base64.RawStdEncoding.DecodeString(parts[5])
	if err := errors.Join(
		errVersion,
		errCost,
		errSalt,
		errTag,
	); err != nil || version != argon2.Version ||
		!sane(m, t, p, len(want)) {
		return false, false, errors.New("a stored password cannot be read")
	}
	if len(plain) > maxBytes {
		plain = plain[:maxBytes+1] // longer than any password that was ever accepted: the same work, and never equal
	}
	got := argon2.IDKey([]byte(Normal(plain)), s, t, m, uint8(p), uint32(len(want)))
	ok = subtle.ConstantTimeCompare(got, want) == 1
	return ok, m != memory || t != passes || p != lanes, nil
}

// sane keeps a damaged row from asking for the machine's whole memory.
func sane(m, t, p uint32, tag int) bool {
	return m >= 8 && m <= 1<<20 && t >= 1 && t <= 16 && p >= 1 && p <= 16 && tag >= 16 && tag <= 64
}

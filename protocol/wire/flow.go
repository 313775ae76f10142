package wire

import (
	"errors"
	"fmt"
)

// Faults of the flow of chunks. Each means that the two ends no longer agree, so that the run cannot go on.
var (
	ErrNoCredit = errors.New("no credit left")
	ErrAckAhead = errors.New("acknowledged more than was sent")
	ErrLost     = errors.New("asked again for what was acknowledged already")
)

// Window is the sending end of a run's chunks: it numbers them, holds back when the receiver has no room, and keeps
// every chunk until the receiver says that it is stored. It knows no socket: a chunk given to Add while there is none
// is sent by Resume's caller later. Not safe for concurrent use.
type Window struct {
	credit int
	acked  int // all chunks up to this one are stored by the receiver
	kept   []Chunk
}

// Chunk is an encoded sync.chunk frame with its number.
type Chunk struct {
	Seq  int
	Data []byte
}

// NewWindow opens a window of credit chunks; 0 means DefaultCredit, and more than MaxCredit is MaxCredit.
func NewWindow(credit int) *Window {
	if credit <= 0 {
		credit = DefaultCredit
	}
	return &Window{credit: min(credit, MaxCredit)}
}

// Open says whether another chunk may be added now.
func (w *Window) Open() bool { return len(w.kept) < w.credit }

// NextSeq is the number of the chunk to be added next, from 1.
func (w *Window) NextSeq() int { return w.LastSent() + 1 }

// LastSent is the number of the last chunk added, 0 for none.
func (w *Window) LastSent() int { return w.acked + len(w.kept) }

// LastAcked is the number up to which the receiver has stored everything, 0 for none.
func (w *Window) LastAcked() int { return w.acked }

// Unacked is how many chunks are kept.
func (w *Window) Unacked() int { return len(w.kept) }

// Add keeps a chunk that was encoded with NextSeq and gives it back to be sent. It fails with ErrNoCredit when the
// window is shut.
func (w *Window) Add(data []byte) (Chunk, error) {
	if !w.Open() {
		return Chunk{}, ErrNoCredit
	}
	c := Chunk{Seq: w.NextSeq(), Data: data}
	w.kept = append(w.kept, c)
	return c, nil
}

// Ack lets go of what the receiver has stored and takes on its credit. An ack older than one seen before changes
// nothing.
func (w *Window) Ack(a Ack) error {
	if a.Seq < w.acked {
		return nil
	}
	if err := w.release(a.Seq); err != nil {
		return err
	}
	w.credit = min(max(a.Credit, 0), MaxCredit)
	return nil
}

// Resume lets go of all before nextSeq, which the receiver has, and gives what must be sent again, in order.
// It fails with ErrLost when the receiver wants something that it acknowledged before: then the run must be given up.
func (w *Window) Resume(nextSeq int) ([]Chunk, error) {
	if nextSeq <= w.acked {
		return nil, fmt.Errorf("%w: chunk %d, acknowledged up to %d", ErrLost, nextSeq, w.acked)
	}
	if err := w.release(nextSeq - 1); err != nil {
		return nil, err
	}
	return append([]Chunk(nil), w.kept...), nil
}

// release forgets the chunks up to seq. An acknowledgment of a chunk that was never sent is an
// error.
func (w *Window) release(seq int) error {
	if seq > w.LastSent() {
		return fmt.Errorf("%w: chunk %d, sent up to %d", ErrAckAhead, seq, w.LastSent())
	}
	n := seq - w.acked
	// The tail is copied down and the rest cleared so that the freed chunks' memory goes at once.
	m := copy(w.kept, w.kept[n:])
	clear(w.kept[m:])
	w.kept = w.kept[:m]
	w.acked = seq
	return nil
}

// Verdict is what an Intake makes of a chunk.
type Verdict int

// Verdicts. Only a Fresh chunk may be stored.
const (
	Fresh     Verdict = iota // the next one: store it, then Commit
	Duplicate                // seen before: send Ack again, nothing else
	Stale                    // of an older attempt: drop it, answer error stale_attempt
	Foreign                  // of another run or an attempt never given out: drop it, answer error unknown_task
	Gap                      // chunks are missing before it: the sender is broken, close with CloseProtocol
	Overrun                  // beyond all credit ever given: close with CloseProtocol
)

// verdicts are the names of the verdicts, in their order.
var verdicts = [...]string{"fresh", "duplicate", "stale", "foreign", "gap", "overrun"}

// String is the verdict's name, for logs.
func (v Verdict) String() string { return verdicts[v] }

// Intake is the receiving end of a run's chunks: it takes each once and in order, whatever is sent twice, and says what
// may be acknowledged. Taken and committed are apart, since storing takes time while further chunks arrive. Not safe
// for concurrent use.
type Intake struct {
	run       string
	attempt   int
	taken     int
	committed int
	credit    int
}

// NewIntake receives the chunks of one attempt of a run. committed is the last chunk of that attempt that is stored
// already (0 for a new attempt), so that a restarted receiver goes on where it was. credit is what Ack grants; 0 means
// DefaultCredit.
func NewIntake(run string, attempt, committed, credit int) *Intake {
	if credit <= 0 {
		credit = DefaultCredit
	}
	return &Intake{run: run, attempt: attempt, taken: committed, committed: committed, credit: min(credit, MaxCredit)}
}

// Take judges a sync.chunk frame. A Fresh one counts as taken and must be committed, or taken back by Rewind.
func (i *Intake) Take(f Frame) Verdict {
	switch {
	case f.Run != i.run || f.Attempt > i.attempt:
		return Foreign
	case f.Attempt < i.attempt:
		return Stale
	case f.Seq <= i.taken:
		return Duplicate
	case f.Seq > i.taken+1:
		return Gap
	case f.Seq > i.committed+MaxCredit:
		return Overrun
	}
	i.taken = f.Seq
	return Fresh
}

// Commit notes that all chunks up to seq are stored durably.
func (i *Intake) Commit(seq int) {
	if seq > i.committed && seq <= i.taken {
		i.committed = seq
	}
}

// Rewind forgets what was taken and not committed, after storing failed. The sender sends its copies again only after a
// reconnect, so the connection must be closed with it.
func (i *Intake) Rewind() { i.taken = i.committed }

// SetCredit changes how many chunks the sender may have unacknowledged from the next Ack on; 0 pauses it.
func (i *Intake) SetCredit(n int) { i.credit = min(max(n, 0), MaxCredit) }

// Ack is the acknowledgement to send now.
func (i *Intake) Ack() Ack { return Ack{Seq: i.committed, Credit: i.credit} }

// Committed is the last chunk stored durably, 0 for none.
func (i *Intake) Committed() int { return i.committed }

// NextSeq is the chunk to ask for after a reconnect. Chunks taken but not yet stored are asked for again on purpose:
// were they acknowledged by this and then lost, no one would have them.
func (i *Intake) NextSeq() int { return i.committed + 1 }

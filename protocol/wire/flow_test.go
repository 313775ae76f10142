package wire

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// world is a model of one run over a bad network: a sender with its window, a receiver that stores, two directions of
// messages under way, and faults between any two steps.
type world struct {
	t       *testing.T
	rnd     *rand.Rand
	total   int // chunks the sender has in all
	window  *Window
	intake  *Intake
	pending []int   // taken, not yet stored
	stored  []int   // the receiver's durable store: survives its crash
	there   []Frame // chunks under way
	back    []Ack   // acks under way
	faults  map[string]int
}

const (
	modelRun     = "run_1"
	modelAttempt = 2
)

func (w *world) send(c Chunk) {
	w.there = append(w.there, Frame{Type: TypeChunk, Run: modelRun, Attempt: modelAttempt, Seq: c.Seq, Body: c.Data})
}

// produce is a connector that emits its next chunk when there is room.
func (w *world) produce() {
	if w.window.LastSent() == w.total {
		return
	}
	if !w.window.Open() {
		w.faults["blocked"]++
		if _, err := w.window.Add(nil); !errors.Is(err, ErrNoCredit) {
			w.t.Fatalf("Add to a shut window = %v, want ErrNoCredit", err)
		}
		return
	}
	c, err := w.window.Add([]byte(strconv.Itoa(w.window.NextSeq())))
	if err != nil {
		w.t.Fatal(err)
	}
	w.send(c)
}

func (w *world) receive() {
	if len(w.there) == 0 {
		return
	}
	f := w.there[0]
	w.there = w.there[1:]
	switch v := w.intake.Take(f); v {
	case Fresh:
		if want := strconv.Itoa(f.Seq); string(f.Body) != want {
			w.t.Fatalf("chunk %d holds %q", f.Seq, f.Body)
		}
		w.pending = append(w.pending, f.Seq)
	case Duplicate:
		w.faults["duplicate"]++
		w.back = append(w.back, w.intake.Ack())
	case Stale:
		w.faults["stale"]++
	default:
		w.t.Fatalf("chunk %d judged %s", f.Seq, v)
	}
}

// store commits what is pending, all or the first of it, and acknowledges.
func (w *world) store() {
	if len(w.pending) == 0 {
		return
	}
	n := 1 + w.rnd.IntN(len(w.pending))
	w.stored = append(w.stored, w.pending[:n]...)
	w.intake.Commit(w.pending[n-1])
	w.pending = w.pending[n:]
	w.intake.SetCredit(w.rnd.IntN(MaxCredit + 1))
	w.back = append(w.back, w.intake.Ack())
}

func (w *world) hear() {
	if len(w.back) == 0 {
		return
	}
	if err := w.window.Ack(w.back[0]); err != nil {
		w.t.Fatal(err)
	}
	w.back = w.back[1:]
}

// reconnect loses what is under way; the sender starts again where the receiver says.
func (w *world) reconnect() {
	if len(w.there) > 0 {
		w.faults["chunks lost"]++
	}
	if len(w.back) > 0 {
		w.faults["acks lost"]++
	}
	w.there, w.back = nil, nil
	again, err := w.window.Resume(w.intake.NextSeq())
	if err != nil {
		w.t.Fatal(err)
	}
	if len(again) > 0 {
		w.faults["sent again"]++
	}
	for _, c := range again {
		w.send(c)
	}
	w.back = append(w.back, w.intake.Ack())
}

// crash is the receiver's death: only its store is left.
func (w *world) crash() {
	if len(w.pending) > 0 {
		w.faults["pending lost"]++
	}
	w.pending = nil
	w.intake = NewIntake(modelRun, modelAttempt, len(w.stored), 1+w.rnd.IntN(MaxCredit))
	w.reconnect()
}

// failStore is a transaction rolled back.
func (w *world) failStore() {
	if len(w.pending) > 0 {
		w.faults["store failed"]++
	}
	w.pending = nil
	w.intake.Rewind()
	w.reconnect()
}

// repeat delivers a chunk under way a second time, and one of an attempt that is over.
func (w *world) repeat() {
	if len(w.there) == 0 {
		return
	}
	f := w.there[0]
	old := f
	old.Attempt--
	w.there = slices.Insert(w.there, 1, f, old)
}

// resumePaused stands for the ack that a receiver sends once it has room again after credit 0.
func (w *world) resumePaused() {
	if w.intake.Ack().Credit == 0 {
		w.faults["paused"]++
		w.intake.SetCredit(1 + w.rnd.IntN(MaxCredit))
		w.back = append(w.back, w.intake.Ack())
	}
}

func TestEveryChunkIsStoredOnceAndInOrderWhateverTheNetworkDoes(t *testing.T) {
	faults := map[string]int{}
	for seed := range uint64(400) {
		w := &world{t: t, rnd: rand.New(rand.NewPCG(seed, 7)), total: 120, faults: faults,
			window: NewWindow(0), intake: NewIntake(modelRun, modelAttempt, 0, 0)}
		steps := []func(){w.produce, w.produce, w.receive, w.receive, w.store, w.hear, w.hear, w.resumePaused}
		for n := 0; len(w.stored) < w.total; n++ {
			if n > 100_000 {
				t.Fatalf("seed %d: stuck at %d of %d", seed, len(w.stored), w.total)
			}
			steps[w.rnd.IntN(len(steps))]()
			if w.rnd.IntN(25) == 0 {
				[]func(){w.reconnect, w.crash, w.failStore, w.repeat}[w.rnd.IntN(4)]()
			}
			if w.window.Unacked() > MaxCredit {
				t.Fatalf("seed %d: %d chunks kept", seed, w.window.Unacked())
			}
		}
		for i, seq := range w.stored {
			if seq != i+1 {
				t.Fatalf("seed %d: stored %v", seed, w.stored)
			}
		}
	}
	for _, must := range []string{"blocked", "duplicate", "stale", "chunks lost", "acks lost", "sent again",
		"pending lost", "store failed", "paused"} {
		if faults[must] < 100 {
			t.Errorf("fault %q fired %d times only: the model tests nothing of it", must, faults[must])
		}
	}
}

func TestTheWindowRefusesAcksThatCannotBe(t *testing.T) {
	w := NewWindow(2)
	for range 2 {
		if _, err := w.Add(nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Ack(Ack{Seq: 3, Credit: 1}); !errors.Is(err, ErrAckAhead) {
		t.Errorf("Ack(3) of 2 = %v, want ErrAckAhead", err)
	}
	if err := w.Ack(Ack{Seq: 2, Credit: 1}); err != nil {
		t.Fatal(err)
	}
	if err := w.Ack(Ack{Seq: 1, Credit: 16}); err != nil || w.credit != 1 {
		t.Errorf("an older ack gave %v and credit %d, want it ignored", err, w.credit)
	}
	if _, err := w.Resume(2); !errors.Is(err, ErrLost) {
		t.Errorf("Resume(2) after Ack(2) = %v, want ErrLost", err)
	}
	if _, err := w.Resume(4); !errors.Is(err, ErrAckAhead) {
		t.Errorf("Resume(4) after 2 chunks = %v, want ErrAckAhead", err)
	}
}

func TestTheIntakeRefusesWhatIsNotItsOwn(t *testing.T) {
	in := NewIntake("run_1", 2, 0, 4)
	for _, tt := range []struct {
		run          string
		attempt, seq int
		want         Verdict
	}{
		{"run_2", 2, 1, Foreign}, {"run_1", 3, 1, Foreign}, {"run_1", 1, 1, Stale}, {"run_1", 2, 2, Gap},
		{"run_1", 2, 0, Duplicate},
		{"run_1", 2, 1, Fresh}, {"run_1", 2, 1, Duplicate},
	} {
		if got := in.Take(Frame{Run: tt.run, Attempt: tt.attempt, Seq: tt.seq}); got != tt.want {
			t.Errorf("Take(%s, %d, %d) = %s, want %s", tt.run, tt.attempt, tt.seq, got, tt.want)
		}
	}
	for seq := 2; seq <= MaxCredit; seq++ {
		in.Take(Frame{Run: "run_1", Attempt: 2, Seq: seq})
	}
	if got := in.Take(Frame{Run: "run_1", Attempt: 2, Seq: MaxCredit + 1}); got != Overrun {
		t.Errorf("chunk %d without one commit is judged %s, want overrun", MaxCredit+1, got)
	}
	in.Commit(99)
	if in.Committed() != 0 {
		t.Errorf("committing what was never taken moved the mark to %d", in.Committed())
	}
}

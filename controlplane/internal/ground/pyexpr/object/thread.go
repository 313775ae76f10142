package object

import (
	"context"
	"fmt"
	"time"
)

// Limits of one evaluation.
const (
	MaxSteps  = 100_000
	MaxBytes  = 1 << 20
	MaxTime   = 250 * time.Millisecond
	MaxDepth  = 200     // of values inside values, and of iterators over iterators
	MaxCalls  = 50      // of lambdas inside one another
	MaxBits   = 1 << 16 // of an integer
	MaxOutput = 64 << 10
)

// Codes of what ends an evaluation that costs too much.
const (
	StepLimit   = "step_limit"
	MemoryLimit = "memory_limit"
	TimeLimit   = "time_limit"
	DepthLimit  = "nesting_limit"
)

// Raised is an exception of Python. It travels as a panic up to the caller that runs the expression.
type Raised struct{ Name, Msg string }

func (r *Raised) Error() string {
	if r.Msg == "" {
		return r.Name
	}
	return r.Name + ": " + r.Msg
}

// Exceeded is a limit that an evaluation ran into. It travels as a panic too, and nothing in an expression can catch
// it.
type Exceeded struct{ Code, Msg string }

func (e *Exceeded) Error() string { return e.Msg }

// Thread is one evaluation: what it may still spend, and where it is. It is used by one goroutine.
type Thread struct {
	At    int // offset in the source of what is being done
	Ctx   context.Context
	Stack []Value     // arguments of the calls under way
	Extra any         // what the expression's package keeps for itself
	Memo  map[any]any // what the library keeps from one evaluation to the next, such as patterns

	steps, bytes int
	check        int // when steps falls below, the clock is looked at
	depth, calls int
	start        time.Time
}

// slice is how many steps pass between two looks at the clock.
const slice = 4096

// Reset makes the thread ready for an evaluation.
func (t *Thread) Reset(ctx context.Context) {
	if cap(t.Stack) > 256 {
		t.Stack = nil
	}
	clear(t.Stack[:cap(t.Stack)])
	*t = Thread{Ctx: ctx, Stack: t.Stack[:0], Memo: t.Memo, steps: MaxSteps, bytes: MaxBytes, check: MaxSteps - slice}
}

// Steps charges n steps.
func (t *Thread) Steps(n int) {
	t.steps -= n
	if t.steps < t.check {
		t.look(n)
	}
}

// look ends an evaluation that has used up its steps or its time.
func (t *Thread) look(n int) {
	if t.steps < 0 || n < 0 {
		t.steps = 0
		panic(&Exceeded{StepLimit, fmt.Sprintf("the expression takes more than %d steps", MaxSteps)})
	}
	t.check = t.steps - slice
	now := time.Now()
	if t.start.IsZero() {
		t.start = now // the first 4096 steps take microseconds
	}
	if now.Sub(t.start) > MaxTime || t.Ctx.Err() != nil {
		panic(&Exceeded{TimeLimit, fmt.Sprintf("the expression takes more than %d ms", MaxTime.Milliseconds())})
	}
}

// Alloc charges n bytes that are about to be allocated, and the steps that filling them takes.
func (t *Thread) Alloc(n int) {
	if n < 0 || n > t.bytes {
		t.bytes = 0
		panic(&Exceeded{MemoryLimit, "the expression needs more than 1 MiB of memory"})
	}
	t.bytes -= n
	if n >= 64 {
		t.Steps(n >> 6)
	}
}

// Read charges the reading of n bytes.
func (t *Thread) Read(n int) {
	if n >= 64 {
		t.Steps(n >> 6)
	}
}

// Items charges n items of a sequence.
func (t *Thread) Items(n int) {
	if n < 0 || n > MaxBytes {
		t.Alloc(-1)
	}
	t.Alloc(16 * n)
}

// Times charges n repetitions of size bytes; a negative n counts as none.
func (t *Thread) Times(size, n int) {
	if n > 0 && size > MaxBytes/n {
		t.Alloc(-1)
	}
	t.Alloc(size*max(n, 0) + 16)
}

// Enter goes one level down into a value; Leave comes back.
func (t *Thread) Enter() {
	t.depth++
	if t.depth > MaxDepth {
		panic(&Exceeded{DepthLimit, fmt.Sprintf("values are nested more than %d levels deep", MaxDepth)})
	}
}

// Leave ends what Enter began.
func (t *Thread) Leave() { t.depth-- }

// Call goes one function down; Return comes back.
func (t *Thread) Call() {
	t.calls++
	if t.calls > MaxCalls {
		panic(&Exceeded{DepthLimit, fmt.Sprintf("functions call one another more than %d levels deep", MaxCalls)})
	}
}

// Return ends what Call began.
func (t *Thread) Return() { t.calls-- }

// Mark is a place in an evaluation to come back to when an exception is caught.
type Mark struct{ stack, depth, calls, at int }

// Mark notes where the evaluation is.
func (t *Thread) Mark() Mark { return Mark{len(t.Stack), t.depth, t.calls, t.At} }

// Restore comes back to a mark.
func (t *Thread) Restore(m Mark) {
	t.Stack, t.depth, t.calls, t.At = t.Stack[:m.stack], m.depth, m.calls, m.at
}

// Raise raises an exception.
func (t *Thread) Raise(name, format string, args ...any) {
	panic(&Raised{Name: name, Msg: fmt.Sprintf(format, args...)})
}

// TypeError raises a TypeError.
func (t *Thread) TypeError(format string, args ...any) { t.Raise("TypeError", format, args...) }

// ValueError raises a ValueError.
func (t *Thread) ValueError(format string, args ...any) { t.Raise("ValueError", format, args...) }

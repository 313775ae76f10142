package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"golang.org/x/sys/unix"
)

// screen prints for people: on a terminal it keeps lines up to date in place, elsewhere it prints what has changed.
type screen struct {
	mu       sync.Mutex
	out      io.Writer
	terminal *os.File // nil when there is none
	open     *board   // whose lines are the last on the terminal
}

func newScreen(out io.Writer) *screen {
	s := &screen{out: out}
	if f, ok := out.(*os.File); ok && os.Getenv("TERM") != "dumb" && columns(f) > 0 {
		s.terminal = f
	}
	return s
}

// columns is the width of a terminal; 0 when it is none.
func columns(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	switch {
	case err != nil:
		return 0
	case size.Col == 0: // a terminal that does not say
		return 80
	}
	return int(size.Col)
}

// line prints one line.
func (s *screen) line(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = nil
	fmt.Fprintf(s.out, format+"\n", args...)
}

// done tells that a step is over, and how long it took.
func (s *screen) done(what string, began time.Time, format string, args ...any) {
	s.line("  %-20s %s (%.1f s)", what, fmt.Sprintf(format, args...), time.Since(began).Seconds())
}

// settle keeps what is on the terminal from being changed any more.
func (s *screen) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = nil
}

// table prints rows in columns; the first row is the heading. All columns but the first are numbers.
func (s *screen) table(rows [][]string) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', tabwriter.AlignRight)
	widest := 0
	for _, row := range rows {
		widest = max(widest, len(row[0]))
	}
	for _, row := range rows {
		fmt.Fprintf(w, "  %-*s\t%s\t\n", widest, row[0], strings.Join(row[1:], "\t"))
	}
	_ = w.Flush() // into memory
	s.line("%s", strings.TrimRight(b.String(), "\n"))
}

// board is some lines that change.
type board struct {
	screen *screen
	lines  []string
	told   []string // what was last printed of each, off a terminal: its state
	shown  bool
}

func (s *screen) board(n int) *board {
	b := &board{screen: s, lines: make([]string, n), told: make([]string, n)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = b
	return b
}

// set changes a line. Off a terminal the line is printed when its state is a new one.
func (b *board) set(i int, state, line string) {
	s := b.screen
	s.mu.Lock()
	defer s.mu.Unlock()
	b.lines[i] = line
	switch {
	case s.terminal == nil && b.told[i] != state:
		b.told[i] = state
		fmt.Fprintln(s.out, line)
	case s.terminal != nil && s.open == b:
		b.draw(columns(s.terminal))
	}
}

func (b *board) draw(width int) {
	var text strings.Builder
	if b.shown {
		fmt.Fprintf(&text, "\x1b[%dA", len(b.lines)) // up to the first of our lines
	}
	b.shown = true
	for _, line := range b.lines {
		if r := []rune(line); len(r) >= width {
			line = string(r[:max(0, width-1)])
		}
		text.WriteString("\x1b[2K" + line + "\n")
	}
	_, _ = io.WriteString(b.screen.out, text.String())
}

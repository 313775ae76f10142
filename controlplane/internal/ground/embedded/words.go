package embedded

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// lastWords is what PostgreSQL itself said about a failure, as ": …" for an error's end, or "".
func (s *Server) lastWords() string {
	words := fatalLines(s.stderr.bytes())
	if words == "" {
		words = fatalLines(newestLog(filepath.Join(s.inst.config.Dir, "log")))
	}
	if words == "" {
		return ""
	}
	return ": " + words
}

// newestLog is the end of the log file that was written last.
func newestLog(dir string) []byte {
	const enough = 4 << 10
	entries, _ := os.ReadDir(dir) // without a folder there is no log
	var newest os.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && (newest == nil || info.ModTime().After(newest.ModTime())) {
			newest = info
		}
	}
	if newest == nil {
		return nil
	}
	f, err := os.Open(filepath.Join(dir, newest.Name()))
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.NewSectionReader(f, max(0, newest.Size()-enough), enough))
	return text
}

// fatalLines keeps what explains a failure, its last three lines at most.
func fatalLines(log []byte) string {
	var kept [][]byte
	for line := range bytes.Lines(log) {
		for _, level := range []string{"FATAL:", "PANIC:", "HINT:"} {
			if _, said, ok := bytes.Cut(line, []byte(level)); ok {
				kept = append(kept, bytes.TrimSpace(said))
			}
		}
	}
	return string(bytes.Join(kept[max(0, len(kept)-3):], []byte(" | ")))
}

// tail keeps the last few kilobytes written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	const limit = 8 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - limit; over > 0 {
		t.kept = append([]byte(nil), t.kept[over:]...)
	}
	return len(p), nil
}

func (t *tail) bytes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]byte(nil), t.kept...)
}

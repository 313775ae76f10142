package main

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/grantwright/grantwright/agent/internal/config"
)

// maxLog is when a log file of the agent's own is put aside, in bytes. One old file is kept.
const maxLog = 10 << 20

// newLog writes text for people at a terminal and JSON for everything else. A Windows service has nowhere to write to,
// so its log is a file in the data directory.
func newLog(to io.Writer, dir config.Dir, least slog.Level, asService bool) *slog.Logger {
	options := &slog.HandlerOptions{Level: least}
	if asService && runtime.GOOS == "windows" {
		return slog.New(
			slog.NewJSONHandler(&logFile{path: filepath.Join(string(dir), "agent.log"), max: maxLog}, options),
		)
	}
	if f, ok := to.(*os.File); ok && terminal(f) {
		return slog.New(slog.NewTextHandler(to, options))
	}
	return slog.New(slog.NewJSONHandler(to, options))
}

// terminal says whether a file is a terminal, where logs are written for people.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// logFile is a file that is put aside when it is full.
type logFile struct {
	path string
	max  int64

	mu   sync.Mutex
	file *os.File
	// size is the file's present size in bytes, max the size at which it is put aside.
	size int64
}

// Write implements io.Writer.
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil && l.size+int64(len(p)) > l.max {
		l.file.Close()
		l.file = nil
		if err := os.Rename(l.path, l.path+".1"); err != nil {
			return 0, err
		}
	}
	if l.file == nil {
		if err := l.open(); err != nil {
			return 0, err
		}
	}
	n, err := l.file.Write(p)
	l.size += int64(n)
	return n, err
}

// open opens the file to append to it. Only its owner may read it.
func (l *logFile) open() error {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return err
	}
	l.file, l.size = f, info.Size()
	return nil
}

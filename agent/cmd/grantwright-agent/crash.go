package main

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/grantwright/grantwright/agent/internal/config"
)

// crashFile holds the text of the runtime's last words: a panic, a fatal error, the stacks at SIGABRT. A Windows
// service has no standard error, where they would be lost.
const crashFile = "crash.log"

// keepCrashes reports the crash of the run before, if it ended by one, and has that of this run written down.
func keepCrashes(dir config.Dir, log *slog.Logger) {
	path := filepath.Join(string(dir), crashFile)
	if cause := lastCrash(path); cause != "" {
		log.Error("the agent crashed before this start", "cause", cause, "details", path+".1")
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err == nil {
		defer f.Close() // the runtime keeps a duplicate
		err = debug.SetCrashOutput(f, debug.CrashOptions{})
	}
	if err != nil {
		log.Warn("the text of a crash will not be kept", "err", err)
	}
}

// lastCrash puts the file of a crash aside, in the place of an older one, and gives its first line.
func lastCrash(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	const enough = 500 // bytes
	text, err := io.ReadAll(io.LimitReader(f, enough))
	f.Close()
	first, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	if err != nil || len(text) == 0 {
		return ""
	}
	if err := os.Rename(path, path+".1"); err != nil {
		return fmt.Sprintf("%s (%v)", first, err)
	}
	return string(first)
}

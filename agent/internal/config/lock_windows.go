package config

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// Lock keeps a second process from running with this data directory: the two would take each other's connection. The
// lock ends with the process.
func (d Dir) Lock() (unlock func(), err error) {
	name, err := windows.UTF16PtrFromString(d.path("lock"))
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	// A file opened with no sharing can be opened once.
	h, err := windows.CreateFile(
		name,
		windows.GENERIC_WRITE,
		0,
		nil,
		windows.OPEN_ALWAYS,
		windows.FILE_ATTRIBUTE_NORMAL,
		0,
	)
	if err != nil {
		return nil, fmt.Errorf("another agent runs with the data directory %s (%w)", d, err)
	}
	return func() { _ = windows.CloseHandle(h) }, nil
}

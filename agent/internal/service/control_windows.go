package service

import (
	"errors"
	"fmt"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc/mgr"
)

// afterInstall has the recovery actions apply to an exit with an error too, and not to a crash alone.
func afterInstall() error {
	m, err := mgr.Connect()
	if err != nil {
		return fmt.Errorf("reach the service manager: %w", err)
	}
	defer func() { _ = m.Disconnect() }()
	s, err := m.OpenService(Name)
	if err != nil {
		return fmt.Errorf("open service: %w", err)
	}
	defer s.Close()
	err = s.SetRecoveryActionsOnNonCrashFailures(true)
	// A service manager that does not know this setting restarts after a crash alone; the service is installed all the
	// same.
	if err != nil && !errors.Is(err, windows.ERROR_INVALID_LEVEL) {
		return fmt.Errorf("set recovery actions: %w", err)
	}
	return nil
}

// owner is of no use on Windows, where services have accounts of their own.
func owner(string) string { return "" }

package service

import (
	"fmt"

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
	if err := s.SetRecoveryActionsOnNonCrashFailures(true); err != nil {
		return fmt.Errorf("set recovery actions: %w", err)
	}
	return nil
}

func owner(string) string { return "" }

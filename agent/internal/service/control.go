package service

import (
	"errors"
	"fmt"
	"os"

	"github.com/kardianos/service"
)

// Control installs and commands the service of this host.
type Control struct {
	DataDir    string // absolute path
	Executable string // absolute path; empty: this program
}

// Install makes the service start with the host. It is not started yet.
func (c Control) Install() error {
	s, err := c.service()
	if err != nil {
		return err
	}
	if err := s.Install(); err != nil {
		return fmt.Errorf("install service: %w", err)
	}
	return afterInstall()
}

// Uninstall stops and removes the service. The data directory stays.
func (c Control) Uninstall() error {
	s, err := c.service()
	if err != nil {
		return err
	}
	// It may not be running.
	_ = s.Stop()
	if err := s.Uninstall(); err != nil {
		return fmt.Errorf("uninstall service: %w", err)
	}
	return nil
}

// Start starts the installed service.
func (c Control) Start() error {
	s, err := c.service()
	if err != nil {
		return err
	}
	if err := s.Start(); err != nil {
		return fmt.Errorf("start service: %w", err)
	}
	return nil
}

// Stop stops the service.
func (c Control) Stop() error {
	s, err := c.service()
	if err != nil {
		return err
	}
	if err := s.Stop(); err != nil {
		return fmt.Errorf("stop service: %w", err)
	}
	return nil
}

// UnitText is the systemd unit that Install would write on Linux.
func (c Control) UnitText() (string, error) {
	executable, err := c.executable()
	if err != nil {
		return "", err
	}
	return Unit(UnitOptions{Executable: executable, DataDir: c.DataDir, User: owner(c.DataDir)}), nil
}

// executable is the program that the service runs: the one that was set, or this one.
func (c Control) executable() (string, error) {
	if c.Executable != "" {
		return c.Executable, nil
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return path, nil
}

// service is the service in the operating system's manager.
func (c Control) service() (service.Service, error) {
	unit, err := c.UnitText()
	if err != nil {
		return nil, err
	}
	executable, err := c.executable()
	if err != nil {
		return nil, err
	}
	s, err := service.New(nil, &service.Config{
		Name: Name, DisplayName: "Grantwright Agent", Executable: executable,
		Description: "Reads this site's directories for Grantwright.",
		Arguments:   []string{"run", "--service", "--data", c.DataDir},
		Option: service.KeyValue{
			"SystemdScript": unit,
			// Unset, nothing would be done when the process dies on Windows.
			"OnFailure": "restart", "OnFailureDelayDuration": "5s", "OnFailureResetPeriod": 86400,
			"RunAtLoad": true, "KeepAlive": true,
		},
	})
	if errors.Is(err, service.ErrNoServiceSystemDetected) {
		return nil, fmt.Errorf(
			"this host has no service manager that is known here; run the agent by `%s run` under one of your own: %w",
			Name,
			err,
		)
	}
	return s, err
}

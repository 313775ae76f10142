package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// memory is what one start leaves for the next. The file is its owner's alone, because the password is in it.
type memory struct {
	Email        string            `json:"email"`
	Password     string            `json:"password"`
	Bootstrapped bool              `json:"bootstrapped"`
	Listen       string            `json:"listen,omitempty"`
	AgentID      string            `json:"agent_id,omitempty"`
	EnrolledAt   string            `json:"enrolled_at,omitempty"` // address of the service that the agent knows
	Connectors   map[string]string `json:"connectors,omitempty"`  // id by business id
	Settings     map[string]string `json:"settings,omitempty"`    // digest of a connector's settings by business id

	path string
}

// remember reads the file, or makes up a password where there is none.
func remember(path string) (*memory, error) {
	m := &memory{
		Email:      "admin@demo.example",
		Connectors: map[string]string{},
		Settings:   map[string]string{},
		path:       path,
	}
	raw, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		m.Password = rand.Text()
		return m, nil
	case err != nil:
		return nil, fmt.Errorf("read the state of the last start: %w", err)
	}
	if err := json.Unmarshal(raw, m); err != nil {
		return nil, fmt.Errorf("%s is damaged; move the data directory away to start anew: %w", path, err)
	}
	return m, nil
}

// save replaces the file in one step.
func (m *memory) save() error { return write(m.path, m) }

// signIn writes what a sign-in sends into a file of its own, so that a command line can use it without showing the
// password.
func (m *memory) signIn(path string) error {
	return write(path, map[string]string{"email": m.Email, "password": m.Password})
}

func write(path string, content any) error {
	raw, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return fmt.Errorf("save: %w", err)
	}
	draft := path + ".new"
	if err := os.WriteFile(draft, append(raw, '\n'), 0o600); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	if err := os.Rename(draft, path); err != nil {
		return fmt.Errorf("save: %w", err)
	}
	return nil
}

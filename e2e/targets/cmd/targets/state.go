package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

// stateVersion is the version of the state file's form.
const stateVersion = 1

// state is what the state file says.
type state struct {
	Version  int            `json:"version"`
	PID      int            `json:"pid"` // of the process that wrote it
	Company  string         `json:"company"`
	Seed     int64          `json:"seed"`
	People   int            `json:"people"`
	Day      string         `json:"day"` // the day the company is described on
	LDAP     ldapState      `json:"ldap"`
	SCIM     scimState      `json:"scim"`
	REST     restState      `json:"rest"`
	Wrinkles map[string]int `json:"wrinkles"` // see package people
}

type ldapState struct {
	Addr         string `json:"addr"`
	URL          string `json:"url"`
	BaseDN       string `json:"base_dn"`
	PeopleDN     string `json:"people_dn"`
	GroupsDN     string `json:"groups_dn"`
	BindDN       string `json:"bind_dn"`
	BindPassword string `json:"bind_password"`
}

type scimState struct {
	Addr    string `json:"addr"`
	BaseURL string `json:"base_url"`
	Token   string `json:"token"`
}

type restState struct {
	Addr    string `json:"addr"`
	BaseURL string `json:"base_url"`
	Header  string `json:"api_key_header"`
	APIKey  string `json:"api_key"`
}

// load reads the state of the last start; a file that is not there is an empty one.
func load(path string) (*state, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &state{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	var st state
	if err := json.Unmarshal(raw, &st); err != nil {
		return nil, fmt.Errorf("state: %s is not a state file; move it away to start anew: %w", path, err)
	}
	if st.Version != stateVersion {
		return nil, fmt.Errorf("state: %s has version %d; this program writes %d", path, st.Version, stateVersion)
	}
	return &st, nil
}

// day is the day of the first start. Dates near the present keep contracts and leavers believable.
func (st *state) day(now time.Time) time.Time {
	if day, err := time.Parse(time.DateOnly, st.Day); err == nil {
		return day
	}
	return now
}

// settle decides addresses and credentials: what the command line or the environment says, else what
// the last start used, else a free port and a random credential.
func (st *state) settle(o options, env func(string) string) error {
	for _, a := range []struct {
		addr  *string
		asked string
	}{{&st.LDAP.Addr, o.ldap}, {&st.SCIM.Addr, o.scim}, {&st.REST.Addr, o.rest}} {
		addr, err := settleAddr(a.asked, *a.addr)
		if err != nil {
			return err
		}
		*a.addr = addr
	}
	for name, secret := range map[string]*string{
		"GRANTWRIGHT_TARGETS_LDAP_PASSWORD": &st.LDAP.BindPassword,
		"GRANTWRIGHT_TARGETS_SCIM_TOKEN":    &st.SCIM.Token,
		"GRANTWRIGHT_TARGETS_REST_KEY":      &st.REST.APIKey,
	} {
		if given := env(name); given != "" {
			*secret = given
		}
		if *secret == "" {
			*secret = rand.Text()
		}
	}
	return nil
}

// settleAddr gives the asked address, with the port of the last start when port 0 of the same host is asked.
func settleAddr(asked, last string) (string, error) {
	host, port, err := net.SplitHostPort(asked)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errUsage, err)
	}
	if lastHost, lastPort, err := net.SplitHostPort(last); err == nil && port == "0" && lastHost == host {
		return net.JoinHostPort(host, lastPort), nil
	}
	return asked, nil
}

// save writes the state so that a reader sees the old file or the new one, and only its owner sees it.
func (st *state) save(path string) error {
	raw, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	// CreateTemp gives the file mode 0600.
	f, err := os.CreateTemp(filepath.Dir(path), ".targets-*")
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	_, err = f.Write(append(raw, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("state: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

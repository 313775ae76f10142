package config

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
)

// Settings say how the control plane is reached. They are written by enroll.
type Settings struct {
	URL string `json:"url"`
	// may carry a user name and password; empty: HTTPS_PROXY and NO_PROXY decide
	Proxy        string `json:"proxy,omitempty"`
	InsecureHTTP bool   `json:"insecure_http,omitempty"` // the operator allowed plain http beyond loopback

	// SpoolMiB is how much of the disk may be used while the control plane has no room, in MiB. Nil: 512; 0: nothing.
	SpoolMiB *int `json:"spool_mib,omitempty"`

	// AllowTargets are special addresses that connectors may connect to all the same, such as 127.0.0.1:389; see
	// package policy.
	AllowTargets []string `json:"allow_targets,omitempty"`

	// CA holds the PEM certificates trusted besides the system's. They are copied into the data directory, since the
	// file they came from may be out of the service's sight, or gone after an update.
	CA []byte `json:"-"`
}

// Base is the control plane's address, checked.
func (s Settings) Base() (*url.URL, error) {
	u, err := url.Parse(strings.TrimRight(s.URL, "/"))
	switch {
	case err != nil || u.Host == "":
		return nil, fmt.Errorf("%q is not a URL. Use a URL such as https://grantwright.example.org.", s.URL)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("the URL must consist of scheme, host and path only")
	case u.Scheme == "https":
		return u, nil
	case u.Scheme != "http":
		return nil, fmt.Errorf("the URL must begin with https://, not %s://", u.Scheme)
	case s.InsecureHTTP || loopback(u.Hostname()):
		return u, nil
	}
	return nil, fmt.Errorf("The address %s uses plain HTTP, so the agent's token and data can be read on the network. "+
		"Use https, or --insecure-http if the connection is protected in another way.", u.Host)
}

// loopback says whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// SaveSettings stores s.
func (d Dir) SaveSettings(s Settings) error {
	if len(s.CA) > 0 {
		if err := d.write(caFile, s.CA, true); err != nil {
			return err
		}
	} else if err := os.Remove(d.path(caFile)); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("remove old certificates: %w", err)
	}
	return d.writeJSON(settingsFile, s, true)
}

// LoadSettings gives ErrNotEnrolled where there are none.
func (d Dir) LoadSettings() (Settings, error) {
	var s Settings
	found, err := exists(d.readJSON(settingsFile, &s))
	if err != nil {
		return s, fmt.Errorf("read settings: %w", err)
	}
	if !found {
		return s, ErrNotEnrolled
	}
	s.CA, err = os.ReadFile(d.path(caFile))
	if _, err = exists(err); err != nil {
		return s, fmt.Errorf("read certificates: %w", err)
	}
	return s, nil
}

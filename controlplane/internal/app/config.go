// Package app puts the control plane together: it opens the database, wires every room once, serves, and stops in order.
package app

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
)

// Config is everything an operator can set. Each member is a flag of the command, an environment variable GRANTWRIGHT_<NAME>
// and a line of the configuration file; a flag goes over the environment, and the environment over the file.
type Config struct {
	Listen         string   // address of the API and the console
	Data           string   // directory of keys and, without a database URL, of the private PostgreSQL
	BaseURL        string   // how clients reach the service; empty: http(s)://Listen
	TLSCert        string   // PEM file
	TLSKey         string   // PEM file
	BehindTLSProxy bool     // something in front of us ends TLS
	PublicDocs     bool     // /openapi.json, /docs and /redoc without a token
	EgressCIDRs    []string // ranges that hosted connectors and callbacks may reach although they are private
	EgressPlain    bool     // http and ldap to public addresses
	MasterKeyFile  string   // empty: <Data>/keys/master.key, made on the first start
	PGBin          string   // directory of PostgreSQL's binaries; empty: found
	MaxRuns        int      // sync runs this process works on at once
	DebugListen    string   // loopback address for Go's profiles; empty: none
	LogLevel       string   // debug, info, warn, error
	LogFormat      string   // text, json

	// DatabaseURL and DatabaseOwnerURL hold passwords, so they come from DATABASE_URL and DATABASE_OWNER_URL or the
	// configuration file, never from a flag. Empty: the private PostgreSQL.
	DatabaseURL      string
	DatabaseOwnerURL string
}

// DefaultConfig is what `grantwright serve` does without being told anything.
func DefaultConfig() Config {
	return Config{Listen: "127.0.0.1:8080", Data: "./data", MaxRuns: 8, LogLevel: "info", LogFormat: "text"}
}

// Check refuses what cannot work, or would not be safe.
func (c Config) Check() error {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("listen: %q must look like 127.0.0.1:8080", c.Listen)
	}
	switch {
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return errors.New("tls-cert and tls-key belong together: give both or neither")
	case c.TLSCert == "" && !c.BehindTLSProxy && !loopback(host):
		return fmt.Errorf("listen: plain HTTP is served on the loopback address only, and %s is not one; give tls-cert and tls-key, or behind-tls-proxy when something in front of this server ends TLS", host)
	case c.DebugListen != "" && !loopbackAddress(c.DebugListen):
		return errors.New("debug-listen: profiles show what is in memory, so they are served on the loopback address only")
	case c.DatabaseURL == "" && c.DatabaseOwnerURL != "":
		return errors.New("DATABASE_OWNER_URL needs DATABASE_URL beside it")
	}
	return nil
}

func loopbackAddress(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && loopback(host)
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// URL is the address under which clients reach the service.
func (c Config) URL(listen string) string {
	if c.BaseURL != "" {
		return strings.TrimRight(c.BaseURL, "/")
	}
	scheme := "http://"
	if c.TLSCert != "" {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(listen)
	if ip, parseErr := netip.ParseAddr(host); err == nil && (host == "" || (parseErr == nil && ip.IsUnspecified())) {
		// Every address of this machine is served; its name is the best guess at what others call it.
		if name, err := os.Hostname(); err == nil {
			return scheme + net.JoinHostPort(name, port)
		}
	}
	return scheme + listen
}

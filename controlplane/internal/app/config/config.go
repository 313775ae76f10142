package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/telemetry"
)

// Config is everything an operator can set. Each member is a flag of the command, an environment variable
// GRANTWRIGHT_<NAME> and a line of the configuration file; a flag goes over the environment, and the environment over
// the file.
type Config struct {
	Listen string // address of the API and the console
	Data   string // directory of keys and, without a database URL, of the private PostgreSQL
	// how clients reach the service; empty: https://Listen with TLS here or in front, else http://Listen
	BaseURL        string
	BaseDomain     string   // tenants are also reached at <slug>.<BaseDomain>; empty: at /t/<slug>/ alone
	TLSCert        string   // PEM file
	TLSKey         string   // PEM file
	BehindTLSProxy bool     // something in front of us ends TLS
	PublicDocs     bool     // /openapi.json, /docs and /redoc without a token
	EgressCIDRs    []string // ranges that hosted connectors and callbacks may reach although they are private
	EgressPlain    bool     // http and ldap to public addresses
	// the first key of all seals, the others open; empty: <Data>/keys/master.key, made on the first start
	MasterKeyFile []string
	PGBin         string // directory of PostgreSQL's binaries; empty: found
	MaxRuns       int    // sync runs this process works on at once
	// the oldest version of the agent that is not degraded, such as 1.4; empty: any
	MinAgentVersion string

	MaxConnections int // open at once; 0: no limit
	// of one client address; 0: no limit. Without effect behind a proxy, whose address all have
	MaxConnectionsPerAddr int

	PackTrustedKeys   []string // files with the public keys whose sector packs may be uploaded
	PackAllowUnsigned bool     // accept sector packs without a signature
	OpsListen         string   // loopback address, or unix:PATH, for readiness, metrics and Go's profiles; empty: none
	DebugListen       string   // the name that OpsListen had
	OTelEndpoint      string   // where traces go, OTLP over HTTP; empty: nowhere
	OTelRatio         float64  // part of all requests that is traced, 0 to 1
	LogLevel          string   // debug, info, warn, error
	LogFormat         string   // text, json

	// DrainDelay is how long a stopping server still serves, so that load balancers that ask for its
	// readiness look elsewhere first. Without an operations listener no one asks, and there is no delay.
	DrainDelay time.Duration

	// The mail server of tenants that have none of their own; empty: none.
	MailServer   string // host:port
	MailSecurity string // starttls, tls or none
	MailFrom     string // address of the sender
	MailUsername string // empty: no sign-in
	MailCA       string // PEM file with the server's authority; empty: those of the system
	// MailPassword comes from MAIL_PASSWORD or the configuration file, never from a flag.
	MailPassword string

	// Traces sends spans; nil: none. It is no setting: OpenTraces makes it of OTelEndpoint.
	Traces *telemetry.Traces

	// OpenConnector makes the connectors that run in this process. It is no setting: the program passes
	// connectors.Open, so that only programs depend on the implementations of connectors.
	OpenConnector func(env connectorkit.Env, connectorType string) (connectorkit.Connector, error)

	// The URLs of databases hold passwords, so they come from DATABASE_URL, DATABASE_OWNER_URL and DATABASE_BACKUP_URL
	// or the configuration file, never from a flag. Empty: the private PostgreSQL.
	DatabaseURL      string
	DatabaseOwnerURL string
	// DatabaseBackupURL is a login that row security does not bind, for backups of a database that is not ours to run.
	// Empty: DatabaseOwnerURL.
	DatabaseBackupURL string
}

// DefaultConfig is what `grantwright serve` does without settings.
func DefaultConfig() Config {
	return Config{
		Listen:                "127.0.0.1:8080",
		Data:                  "./data",
		MaxRuns:               8,
		MaxConnections:        10_000,
		MaxConnectionsPerAddr: 1000,
		MailSecurity:          "starttls",
		LogLevel:              "info",
		LogFormat:             "text",
		DrainDelay:            5 * time.Second,
		OTelRatio:             1,
	}
}

// Ops is where operators are served: OpsListen, or by its former name DebugListen.
func (c Config) Ops() string {
	if c.OpsListen != "" {
		return c.OpsListen
	}
	return c.DebugListen
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
	case c.TLSCert == "" && !c.BehindTLSProxy && !IsLoopback(host):
		return fmt.Errorf(
			"listen: plain HTTP is served on the loopback address only, and %s is not one; give tls-cert and "+
				"tls-key, or behind-tls-proxy when something in front of this server ends TLS",
			host,
		)
	case c.OpsListen != "" && c.DebugListen != "":
		return errors.New("ops-listen and debug-listen are one setting; set only ops-listen")
	case c.Ops() != "" && !loopbackAddress(c.Ops()) && !strings.HasPrefix(c.Ops(), UnixPrefix):
		return errors.New(
			"ops-listen: profiles show what is in memory, so they are served on the loopback address or a unix " +
				"socket (unix:/path) only",
		)
	case c.MaxConnections < 0 || c.MaxConnectionsPerAddr < 0:
		return errors.New("max-connections and max-connections-per-address are 0, for no limit, or more")
	case c.DrainDelay < 0 || c.DrainDelay > maxDrainDelay:
		return fmt.Errorf("drain-delay is between 0 and %s", maxDrainDelay)
	case c.OTelEndpoint != "" && !strings.HasPrefix(c.OTelEndpoint, "http://") &&
		!strings.HasPrefix(c.OTelEndpoint, "https://"):
		return fmt.Errorf("otel-endpoint: %q must look like http://127.0.0.1:4318", c.OTelEndpoint)
	case c.OTelRatio < 0 || c.OTelRatio > 1:
		return errors.New("otel-ratio is between 0 and 1")
	case c.MinAgentVersion != "" && !agentVersion.MatchString(c.MinAgentVersion):
		return fmt.Errorf("min-agent-version: %q must be a version such as 1.4 or 1.4.2", c.MinAgentVersion)
	case strings.ContainsAny(c.BaseDomain, ":/ "):
		return fmt.Errorf("base-domain: %q must be a name such as iga.example.com", c.BaseDomain)
	case (c.MailServer == "") != (c.MailFrom == ""):
		return errors.New("mail-server and mail-from belong together: give both or neither")
	case c.MailUsername != "" && c.MailSecurity == "none":
		return errors.New("mail-security: a password is sent over starttls or tls only")
	case c.DatabaseURL == "" && c.DatabaseOwnerURL != "":
		return errors.New("DATABASE_OWNER_URL needs DATABASE_URL beside it")
	}
	return nil
}

// agentVersion is the form of a version of the agent.
var agentVersion = regexp.MustCompile(`^v?[0-9]{1,6}(\.[0-9]{1,6}){0,3}$`)

func loopbackAddress(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && IsLoopback(host)
}

func IsLoopback(host string) bool {
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
	if c.TLSCert != "" || c.BehindTLSProxy { // in either case clients come by TLS, and cookies are for TLS alone
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

// UnixPrefix marks an address that is the path of a socket.
const UnixPrefix = "unix:"

// How a server stops: on a signal, it reports that it is not ready, and after the drain delay takes no new connections,
// hands runs back, and finishes the requests that it has. Agents stay until those are finished, since some wait for an
// agent's answer. Everything together ends within 30 seconds; the database takes the rest.
const (
	StopTime      = 27 * time.Second
	InFlightTime  = 25 * time.Second
	maxDrainDelay = 20 * time.Second
)

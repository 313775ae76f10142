package main

import (
	"bufio"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sort"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/grantwright/grantwright/controlplane/internal/app"
	"github.com/grantwright/grantwright/controlplane/internal/app/config"
)

// settings are the flags that several commands share.
type settings struct {
	config    config.Config
	file      string
	completed bool
	from      map[string]string // by setting: where its value comes from, unless that is the default
}

// common declares the flags that every command needs to find data and database.
func (s *settings) common(flags *pflag.FlagSet) {
	s.config = config.DefaultConfig()
	flags.StringVar(&s.file, "config", "", "file with settings, one name = value a line")
	flags.StringVar(&s.config.Data, "data", s.config.Data, "directory of keys and of the private PostgreSQL")
	flags.StringSliceVar(
		&s.config.MasterKeyFile,
		"master-key-file",
		nil,
		"file with the 32-byte master key; of several keys or files the first seals (default <data>/keys/master.key, "+
			"made on the first start)",
	)
	flags.StringVar(&s.config.PGBin, "pg-bin", "", "directory of PostgreSQL's binaries (default: found)")
	flags.StringVar(&s.config.LogLevel, "log-level", s.config.LogLevel, "debug, info, warn or error")
	flags.StringVar(&s.config.LogFormat, "log-format", s.config.LogFormat, "text or json")
}

// serving declares the flags of the server.
func (s *settings) serving(flags *pflag.FlagSet) {
	c := &s.config
	flags.StringVar(&c.Listen, "listen", c.Listen, "address to serve on")
	flags.StringVar(&c.BaseURL, "base-url", "", "how clients reach the service, when that is not the address served on")
	flags.StringVar(
		&c.BaseDomain,
		"base-domain",
		"",
		"domain under which each tenant has a host of its own, <slug>.<domain>",
	)
	flags.StringVar(&c.TLSCert, "tls-cert", "", "certificate chain, PEM")
	flags.StringVar(&c.TLSKey, "tls-key", "", "private key, PEM")
	flags.BoolVar(&c.BehindTLSProxy, "behind-tls-proxy", false, "something in front of this server ends TLS")
	flags.BoolVar(&c.PublicDocs, "public-docs", false, "serve /openapi.json, /docs and /redoc without a token")
	flags.StringSliceVar(
		&c.EgressCIDRs,
		"egress-allow-cidrs",
		nil,
		"private ranges that hosted connectors and callbacks may reach",
	)
	flags.BoolVar(
		&c.EgressPlain,
		"egress-allow-plaintext",
		false,
		"let hosted connectors use http and ldap outside those ranges as well",
	)
	flags.StringVar(
		&c.OpsListen,
		"ops-listen",
		"",
		"loopback address or unix:/path on which to serve /ready, /live, /metrics and /debug/pprof/ (default: none)",
	)
	flags.StringVar(&c.DebugListen, "debug-listen", "", "the former name of ops-listen")
	_ = flags.MarkDeprecated("debug-listen", "use --ops-listen")
	flags.DurationVar(
		&c.DrainDelay,
		"drain-delay",
		c.DrainDelay,
		"with ops-listen: how long to serve on, not ready, after being told to stop",
	)
	flags.StringVar(
		&c.OTelEndpoint,
		"otel-endpoint",
		"",
		"collector of traces, OTLP over HTTP, such as http://127.0.0.1:4318 (default: none)",
	)
	flags.Float64Var(&c.OTelRatio, "otel-ratio", c.OTelRatio, "part of all requests that is traced, 0 to 1")
	flags.StringVar(
		&c.MinAgentVersion,
		"min-agent-version",
		"",
		"oldest version of the agent that is not degraded, such as 1.4 (default: any)",
	)
	flags.StringSliceVar(
		&c.PackTrustedKeys,
		"pack-trusted-keys",
		nil,
		"files with public keys, PEM, whose sector packs may be uploaded (default: none)",
	)
	flags.BoolVar(&c.PackAllowUnsigned, "pack-allow-unsigned", false, "allow uploads of unsigned sector packs")
	flags.StringVar(&c.MailServer, "mail-server", "", "host:port of the mail server for notifications (default: none)")
	flags.StringVar(&c.MailSecurity, "mail-security", c.MailSecurity, "starttls, tls or none")
	flags.StringVar(&c.MailFrom, "mail-from", "", "address of the sender of notifications")
	flags.StringVar(&c.MailUsername, "mail-username", "", "user name at the mail server; MAIL_PASSWORD is its password")
	flags.StringVar(&c.MailCA, "mail-ca", "", "PEM file with the authority of the mail server (default: the system's)")
	flags.IntVar(&c.MaxRuns, "max-runs", c.MaxRuns, "sync runs to work on at once")
	flags.IntVar(
		&c.MaxConnections,
		"max-connections",
		c.MaxConnections,
		"connections to have open at once; 0 for no limit",
	)
	flags.IntVar(
		&c.MaxConnectionsPerAddr,
		"max-connections-per-address",
		c.MaxConnectionsPerAddr,
		"connections of one client address to have open at once; 0 for no limit; without effect with behind-tls-proxy",
	)
}

// complete fills in, for every flag that was not given, the environment's value or else the file's.
func (s *settings) complete(cmd *cobra.Command) error {
	if s.completed {
		return nil
	}
	file, err := s.readFile(cmd)
	if err != nil {
		return err
	}
	s.completed, s.from = true, map[string]string{}
	var wrong []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if err := s.fill(f, file); err != nil {
			wrong = append(wrong, err)
		}
		delete(file, f.Name)
	})
	s.config.MailPassword = s.secret("mail-password", file)
	s.config.DatabaseURL = s.secret("database-url", file)
	s.config.DatabaseOwnerURL = s.secret("database-owner-url", file)
	s.config.DatabaseBackupURL = s.secret("database-backup-url", file)
	if cmd.Name() == "serve" || cmd.Name() == "config" {
		for _, name := range keys(file) {
			wrong = append(wrong, fmt.Errorf("%s: there is no setting %q", s.file, name))
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return usageError{err}
	}
	return nil
}

// fill gives one flag its value, unless the command line did.
func (s *settings) fill(f *pflag.Flag, file map[string]string) error {
	switch {
	case f.Name == "config":
		return nil
	case f.Changed:
		s.from[f.Name] = "the command line"
		return nil
	}
	value, from := os.Getenv(envName(f.Name)), envName(f.Name)
	if value == "" {
		var found bool
		if value, found = file[f.Name]; !found {
			return nil
		}
		from = s.file
	}
	s.from[f.Name] = from
	if err := f.Value.Set(value); err != nil {
		return fmt.Errorf("%s from %s: %w", f.Name, from, err)
	}
	return nil
}

// secret is a setting without a flag: what is on a command line can be read by everybody on the machine.
func (s *settings) secret(name string, file map[string]string) string {
	variable := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	value := os.Getenv(variable)
	if value != "" {
		s.from[name] = variable
	} else if value = file[name]; value != "" {
		s.from[name] = s.file
	}
	delete(file, name)
	return value
}

func envName(flag string) string {
	return "GRANTWRIGHT_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func keys(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// readFile reads name = value lines; # starts a comment, at the beginning of a line or after a blank.
func (s *settings) readFile(cmd *cobra.Command) (map[string]string, error) {
	if s.file == "" {
		s.file = os.Getenv("GRANTWRIGHT_CONFIG")
	}
	values := map[string]string{}
	if s.file == "" {
		return values, nil
	}
	f, err := os.Open(s.file)
	if err != nil {
		return nil, usageError{fmt.Errorf("configuration file: %w", err)}
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		if !found {
			return nil, usageError{fmt.Errorf("%s line %d: a setting is written name = value", s.file, n)}
		}
		name = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(name), "_", "-"))
		if at := strings.Index(value, " #"); at >= 0 {
			value = value[:at]
		}
		values[strings.TrimPrefix(name, "grantwright-")] = strings.Trim(strings.TrimSpace(value), `"`)
	}
	return values, lines.Err()
}

// logger writes to standard error.
func (s *settings) logger() (*slog.Logger, error) {
	log, err := app.Log(s.config, os.Stderr)
	if err != nil {
		return nil, usageError{err}
	}
	return log, nil
}

package main

import (
	"bufio"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"sort"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/grantwright/grantwright/controlplane/internal/app"
)

// settings are the flags that several commands share.
type settings struct {
	config app.Config
	file   string
}

// common declares the flags that every command needs to find data and database.
func (s *settings) common(flags *pflag.FlagSet) {
	s.config = app.DefaultConfig()
	flags.StringVar(&s.file, "config", "", "file with settings, one name = value a line")
	flags.StringVar(&s.config.Data, "data", s.config.Data, "directory of keys and of the private PostgreSQL")
	flags.StringSliceVar(&s.config.MasterKeyFile, "master-key-file", nil, "file with the 32-byte master key; of several keys or files the first seals (default <data>/keys/master.key, made on the first start)")
	flags.StringVar(&s.config.PGBin, "pg-bin", "", "directory of PostgreSQL's binaries (default: found)")
	flags.StringVar(&s.config.LogLevel, "log-level", s.config.LogLevel, "debug, info, warn or error")
	flags.StringVar(&s.config.LogFormat, "log-format", s.config.LogFormat, "text or json")
}

// serving declares the flags of the server.
func (s *settings) serving(flags *pflag.FlagSet) {
	c := &s.config
	flags.StringVar(&c.Listen, "listen", c.Listen, "address to serve on")
	flags.StringVar(&c.BaseURL, "base-url", "", "how clients reach the service, when that is not the address served on")
	flags.StringVar(&c.BaseDomain, "base-domain", "", "domain under which each tenant has a host of its own, <slug>.<domain>")
	flags.StringVar(&c.TLSCert, "tls-cert", "", "certificate chain, PEM")
	flags.StringVar(&c.TLSKey, "tls-key", "", "private key, PEM")
	flags.BoolVar(&c.BehindTLSProxy, "behind-tls-proxy", false, "something in front of this server ends TLS")
	flags.BoolVar(&c.PublicDocs, "public-docs", false, "serve /openapi.json, /docs and /redoc without a token")
	flags.StringSliceVar(&c.EgressCIDRs, "egress-allow-cidrs", nil, "private ranges that hosted connectors and callbacks may reach")
	flags.BoolVar(&c.EgressPlain, "egress-allow-plaintext", false, "let hosted connectors use http and ldap outside those ranges as well")
	flags.StringVar(&c.OpsListen, "ops-listen", "", "loopback address or unix:/path on which to serve /ready, /live, /metrics and /debug/pprof/ (default: none)")
	flags.StringVar(&c.DebugListen, "debug-listen", "", "the former name of ops-listen")
	_ = flags.MarkDeprecated("debug-listen", "use --ops-listen")
	flags.DurationVar(&c.DrainDelay, "drain-delay", c.DrainDelay, "with ops-listen: how long to serve on, not ready, after being told to stop")
	flags.StringVar(&c.OTelEndpoint, "otel-endpoint", "", "collector of traces, OTLP over HTTP, such as http://127.0.0.1:4318 (default: none)")
	flags.Float64Var(&c.OTelRatio, "otel-ratio", c.OTelRatio, "part of all requests that is traced, 0 to 1")
	flags.IntVar(&c.MaxRuns, "max-runs", c.MaxRuns, "sync runs to work on at once")
}

// complete fills in, for every flag that was not given, the environment's value or else the file's.
func (s *settings) complete(cmd *cobra.Command) error {
	file, err := s.readFile(cmd)
	if err != nil {
		return err
	}
	var wrong []error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed || f.Name == "config" {
			delete(file, f.Name)
			return
		}
		value, from, found := os.Getenv(envName(f.Name)), envName(f.Name), false
		if value != "" {
			found = true
		} else if value, found = file[f.Name]; found {
			from = s.file
		}
		delete(file, f.Name)
		if found {
			if err := f.Value.Set(value); err != nil {
				wrong = append(wrong, fmt.Errorf("%s from %s: %w", f.Name, from, err))
			}
		}
	})
	s.config.DatabaseURL = first(os.Getenv("DATABASE_URL"), file["database-url"])
	s.config.DatabaseOwnerURL = first(os.Getenv("DATABASE_OWNER_URL"), file["database-owner-url"])
	delete(file, "database-url")
	delete(file, "database-owner-url")
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

func envName(flag string) string {
	return "GRANTWRIGHT_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func keys(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// readFile reads name = value lines; # starts a comment.
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

func configCommand() *cobra.Command {
	s := &settings{}
	cmd := &cobra.Command{
		Use: "config", Short: "Print the settings that would apply, without secrets", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.complete(cmd); err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			cmd.Flags().VisitAll(func(f *pflag.Flag) {
				if f.Name != "help" && f.Name != "config" {
					fmt.Fprintf(out, "%s = %s\n", f.Name, strings.Trim(f.Value.String(), "[]"))
				}
			})
			fmt.Fprintf(out, "database-url = %s\ndatabase-owner-url = %s\n", masked(s.config.DatabaseURL), masked(s.config.DatabaseOwnerURL))
			if err := s.config.Check(); err != nil {
				return usageError{err}
			}
			return nil
		},
	}
	s.common(cmd.Flags())
	s.serving(cmd.Flags())
	return cmd
}

// masked shows a database URL without its password.
func masked(raw string) string {
	if raw == "" {
		return "(the private PostgreSQL)"
	}
	u, err := url.Parse(raw)
	if err != nil {
		return "(not readable)"
	}
	return u.Redacted()
}

package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"sort"
	"strings"
	"text/tabwriter"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func configCommand() *cobra.Command {
	s := &settings{}
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print the settings that would apply, and where each comes from, without secrets",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.complete(cmd); err != nil {
				return err
			}
			out := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, line := range s.effective(cmd.Flags()) {
				fmt.Fprintln(out, line)
			}
			if err := errors.Join(out.Flush(), s.config.Check()); err != nil {
				return usageError{err}
			}
			return nil
		},
	}
	s.common(cmd.Flags())
	s.serving(cmd.Flags())
	return cmd
}

// effective gives a line for each setting, in the form of a configuration file, with its origin as a comment.
func (s *settings) effective(flags *pflag.FlagSet) (lines []string) {
	add := func(name, value string) {
		from := s.from[name]
		if from == "" {
			from = "default"
		}
		lines = append(lines, strings.TrimRight(name+" = "+value, " ")+"\t# "+from)
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && f.Name != "config" && (f.Deprecated == "" || s.from[f.Name] != "") {
			add(f.Name, withoutPassword(strings.Trim(f.Value.String(), "[]")))
		}
	})
	add("database-url", masked(s.config.DatabaseURL))
	add("database-owner-url", masked(s.config.DatabaseOwnerURL))
	add("database-backup-url", masked(s.config.DatabaseBackupURL))
	if s.config.MailPassword != "" {
		add("mail-password", "[secret]")
	}
	sort.Strings(lines)
	// Settings that libraries read by themselves: only whether they are set is shown.
	for _, name := range []string{"GOGC", "GOMEMLIMIT", "OTEL_EXPORTER_OTLP_HEADERS"} {
		if os.Getenv(name) != "" {
			lines = append(lines, "# "+name+" is set")
		}
	}
	return lines
}

// withoutPassword hides the password of a URL. Settings that are no URLs stay as they are.
func withoutPassword(value string) string {
	if u, err := url.Parse(value); err == nil && u.User != nil {
		return u.Redacted()
	}
	return value
}

// masked shows where a database is, and as whom it is spoken to. A URL may hold its password in two places, and a
// connection string need not be a URL: so it is put together anew of what is no secret.
func masked(raw string) string {
	if raw == "" {
		return ""
	}
	c, err := pgconn.ParseConfig(raw)
	if err != nil {
		return "(not readable)"
	}
	u := url.URL{
		Scheme: "postgres",
		Host:   fmt.Sprintf("%s:%d", c.Host, c.Port),
		Path:   "/" + c.Database,
		User:   url.User(c.User),
	}
	if strings.HasPrefix(c.Host, "/") {
		u.Host, u.RawQuery = "", url.Values{"host": {c.Host}, "port": {fmt.Sprint(c.Port)}}.Encode()
	}
	if c.Password != "" {
		u.User = url.UserPassword(c.User, "xxxxx")
	}
	return u.String()
}

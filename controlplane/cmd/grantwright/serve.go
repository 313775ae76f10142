package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/grantwright/grantwright/connectorkit/connectors"
	"github.com/grantwright/grantwright/connectorkit/memlimit"
	"github.com/grantwright/grantwright/controlplane/internal/app"
	"github.com/grantwright/grantwright/controlplane/internal/app/backup"
	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/app/database"
	"github.com/grantwright/grantwright/controlplane/internal/app/signinlink"
	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// stopTime is how long closing the database may take; lastResort is after how long a process that was told to stop ends
// in any case, such as when its database does not answer. Nothing is lost by that, no more than by a kill.
const (
	stopTime   = 30 * time.Second
	lastResort = 45 * time.Second
)

func serveCommand() *cobra.Command {
	s := &settings{}
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the control plane", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := s.prepare(cmd)
			if err != nil {
				return err
			}
			return serve(cmd.Context(), s.config, log)
		},
	}
	s.common(cmd.Flags())
	s.serving(cmd.Flags())
	return cmd
}

// prepare reads all settings and checks them.
func (s *settings) prepare(cmd *cobra.Command) (*slog.Logger, error) {
	if err := s.complete(cmd); err != nil {
		return nil, err
	}
	if err := s.config.Check(); err != nil {
		return nil, usageError{err}
	}
	return s.logger()
}

// gcPercent lets the heap grow to four times what is live before it is collected. What is live is small, a few chunks
// for each run, and collecting at twice that costs a fifth of a large sync. GOGC in the environment goes over it.
const gcPercent = 300

func serve(ctx context.Context, c config.Config, log *slog.Logger) (err error) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if limit := memlimit.Set(0); limit > 0 {
		log.Debug("soft memory limit", "mib", limit>>20)
	}
	ring, err := config.Keyring(c)
	if err != nil {
		return err
	}
	if err := app.OpenTraces(ctx, &c, version); err != nil {
		return err
	}
	defer c.Traces.Close(context.WithoutCancel(ctx))
	db, err := database.OpenToServe(ctx, c, log)
	if err != nil {
		return hinted(err)
	}
	defer func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		err = errors.Join(err, db.Close(stop))
	}()
	c.OpenConnector = connectors.Open
	a, err := app.New(ctx, c, version, db.DB, ring, log)
	if err != nil {
		return err
	}
	go endInAnyCase(ctx, log)
	err = a.Serve(ctx, c, db.Lost, func(addr string) {
		log.Info("ready", "address", c.URL(addr), "version", version)
		if err := a.Welcome(ctx, c.URL(addr), os.Stderr); err != nil {
			log.Warn("cannot look for the first tenant", "err", err)
		}
	})
	log.Info("stopped")
	return err
}

// endInAnyCase ends a process that was told to stop: at once when somebody asks a second time, and when it takes too
// long.
func endInAnyCase(ctx context.Context, log *slog.Logger) {
	<-ctx.Done()
	again := make(chan os.Signal, 1)
	signal.Notify(again, os.Interrupt, syscall.SIGTERM)
	select {
	case <-again:
		os.Exit(130)
	case <-time.After(lastResort):
		log.Error("stopping takes too long, so it is broken off; does the database answer?", "after", lastResort)
		os.Exit(1)
	}
}

// hinted adds how to get a PostgreSQL to the news that there is none.
func hinted(err error) error {
	var none *embedded.NotFoundError
	if errors.As(err, &none) {
		return fmt.Errorf("%w; or name a database by DATABASE_URL", err)
	}
	return err
}

func bootstrapCommand() *cobra.Command {
	s := &settings{}
	var b tenant.Bootstrap
	var passwordFromStdin bool
	var packs []string
	cmd := &cobra.Command{
		Use:   "bootstrap",
		Short: "Create a tenant with its first administrator",
		Args:  cobra.NoArgs,
		Long: "Creates a tenant with its first administrator, while the server runs or not. Without " +
			"--admin-password-stdin it prints a one-time link\n" +
			"by which the administrator sets a password; it is good for an hour.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := s.prepare(cmd)
			if err != nil {
				return err
			}
			if passwordFromStdin {
				if b.AdminPassword, err = readPassword(cmd.InOrStdin()); err != nil {
					return err
				}
			}
			b.Packs = app.InitialPacks(log)
			for _, p := range packs {
				key, version, _ := strings.Cut(p, "@")
				b.SectorPacks = append(b.SectorPacks, tenant.SectorPackChoice{Key: key, Version: version})
			}
			return bootstrap(cmd, s.config, b, log)
		},
	}
	s.common(cmd.Flags())
	f := cmd.Flags()
	f.StringVar(&b.Slug, "tenant", "", "short name of the tenant: lower-case letters, digits and hyphens")
	f.StringVar(&b.Name, "name", "", "name of the tenant")
	f.StringVar(&b.AdminEmail, "admin-email", "", "e-mail address of the first administrator")
	f.BoolVar(
		&passwordFromStdin,
		"admin-password-stdin",
		false,
		"read the administrator's password from standard input",
	)
	f.StringVar(&b.Region, "region", "", "where the tenant's data is kept, in your words")
	f.StringSliceVar(
		&packs,
		"sector-pack",
		nil,
		"key of a sector pack to begin with, or key@version; may be given several times",
	)
	f.BoolVar(&b.ControlPlaneAdmin, "control-plane-admin", false, "the administrator may act across tenants")
	for _, name := range []string{"tenant", "name", "admin-email"} {
		_ = cmd.MarkFlagRequired(name)
	}
	return cmd
}

// readPassword takes the first line, without its end.
func readPassword(from io.Reader) (seal.Secret, error) {
	b, err := io.ReadAll(io.LimitReader(from, 4096))
	if err != nil {
		return "", fmt.Errorf("read the password from standard input: %w", err)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	line = strings.TrimSuffix(line, "\r")
	if line == "" {
		return "", usageError{errors.New("--admin-password-stdin was given, but standard input holds no password")}
	}
	return seal.Secret(line), nil
}

func bootstrap(cmd *cobra.Command, c config.Config, b tenant.Bootstrap, log *slog.Logger) (err error) {
	ctx := cmd.Context()
	ring, err := config.Keyring(c)
	if err != nil {
		return err
	}
	db, err := database.OpenToWork(ctx, c, log)
	if err != nil {
		return hinted(err)
	}
	defer func() { err = errors.Join(err, db.Close(context.WithoutCancel(ctx))) }()
	result, err := b.Run(ctx, db.DB)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "tenant %s (%s) with administrator %s\n", result.Tenant.Slug, result.Tenant.ID, b.AdminEmail)
	if b.AdminPassword != "" {
		return nil
	}
	link, err := signinlink.SignInLink(ctx, db.DB, ring, log, result)
	if err != nil {
		return err
	}
	fmt.Fprint(out, signinlink.HowToSignIn(c.URL(c.Listen), link))
	return nil
}

func migrateCommand() *cobra.Command {
	s := &settings{}
	cmd := &cobra.Command{
		Use: "migrate", Short: "Bring the database to the present schema", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withDatabase(cmd, func(context.Context, *pg.DB) error {
				fmt.Fprintln(cmd.OutOrStdout(), "the database is at the present schema")
				return nil
			})
		},
	}
	s.common(cmd.Flags())
	return cmd
}

func checkCommand() *cobra.Command {
	s := &settings{}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check that the database is safe and sound",
		Args:  cobra.NoArgs,
		Long: "Brings the database to the present schema, as every start does, holds its catalog against the " +
			"rules of tenant isolation\n(exit code 3 names what is broken), and looks for references to rows that " +
			"are not there.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withDatabase(cmd, func(ctx context.Context, db *pg.DB) error {
				if err := backup.CheckReferences(ctx, db); err != nil {
					return err
				}
				fmt.Fprintln(
					cmd.OutOrStdout(),
					"the database keeps tenants apart, and nothing in it points to what is not there",
				)
				return nil
			})
		},
	}
	s.common(cmd.Flags())
	return cmd
}

func (s *settings) withDatabase(cmd *cobra.Command, do func(context.Context, *pg.DB) error) error {
	log, err := s.prepare(cmd)
	if err != nil {
		return err
	}
	db, err := database.OpenToWork(cmd.Context(), s.config, log)
	if err != nil {
		return hinted(err)
	}
	err = do(cmd.Context(), db.DB)
	return errors.Join(err, db.Close(context.WithoutCancel(cmd.Context())))
}

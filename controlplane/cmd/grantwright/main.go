// Command grantwright is the control plane of Grantwright: the API, the dispatcher of connector calls, and the
// governance store behind them.
//
// Certificates with a negative serial number are accepted: authorities of directories make such ones, and nothing but
// the serial number is wrong with them.
//
//go:debug x509negativeserial=1
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/grantwright/grantwright/controlplane/cmd/grantwright/packcommand"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/schema"
)

// version is set by the build.
var version = "dev"

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
	exitUnsafe = 3 // the database would not keep tenants apart
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := root().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "grantwright:", message(err))
		os.Exit(exitCode(err))
	}
}

func message(err error) string {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f.Message
	}
	return err.Error()
}

func exitCode(err error) int {
	var unsafe *schema.Unsafe
	var usage usageError
	var packUsage packcommand.UsageError
	switch {
	case errors.As(err, &unsafe):
		return exitUnsafe
	case errors.As(err, &usage), errors.As(err, &packUsage):
		return exitUsage
	}
	return exitFailed
}

// usageError is a mistake in how the command was called.
type usageError struct{ error }

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:           "grantwright",
		Short:         "Identity governance: who can do what, and why",
		SilenceUsage:  true,
		SilenceErrors: true,
		Long: "Grantwright reads people, accounts, entitlements and grants out of a company's systems, keeps them " +
			"true, and governs them.\n\n" +
			"Every flag can be given as an environment variable as well (--listen is GRANTWRIGHT_LISTEN) and as a " +
			"line of the file named by --config\n" +
			"(listen = 127.0.0.1:8080). A flag goes over the environment, and the environment over the file. The " +
			"database is named by DATABASE_URL and\n" +
			"DATABASE_OWNER_URL; without them a private PostgreSQL is started from the installed binaries.",
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	cmd.AddCommand(
		serveCommand(),
		bootstrapCommand(),
		migrateCommand(),
		checkCommand(),
		configCommand(),
		keysCommand(),
		versionCommand(),
	)
	cmd.AddCommand(backupCommand(), restoreCommand(), auditCommand(), packcommand.New())
	return cmd
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		Run: func(cmd *cobra.Command, _ []string) {
			fmt.Fprintln(cmd.OutOrStdout(), "grantwright", version)
		},
	}
}

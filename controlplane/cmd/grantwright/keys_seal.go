package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/app/database"
	"github.com/grantwright/grantwright/controlplane/internal/app/sealing"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

func rotateMasterCommand() *cobra.Command {
	s := &settings{}
	var file string
	var addOnly bool
	cmd := &cobra.Command{
		Use:   "master",
		Short: "Replace the master key that all secrets lie under",
		Args:  cobra.NoArgs,
		Long: "Adds the key in --new-key-file, which is created if it does not exist, to the key file. Then encrypts " +
			"with it the keys that another key encrypts:\n" +
			"the data keys of tenants, and the keys of the deployment. The values of tenants do not change. Servers " +
			"continue and need no restart: they\n" +
			"read their key file again. If a rotation was stopped, start it again.\n\n" +
			"If several machines have a copy of the key file, first run this with --add-only on each. Then all " +
			"machines can decrypt with\n" +
			"the new key. When `grantwright keys status` shows that the old key is unused, remove it with " +
			"`grantwright keys drop`.\n" +
			"Earlier backups still need it.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return usageError{errors.New("--new-key-file is needed")}
			}
			if err := s.complete(cmd); err != nil {
				return err
			}
			key, err := config.AddMasterKey(s.config, file, !addOnly)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if addOnly {
				fmt.Fprintf(out, "master key %s opens from now on; the one before it goes on to seal\n", key)
				return nil
			}
			return s.withSealing(cmd, func(ctx context.Context, k *sealing.Sealing) error {
				n, err := k.Master(ctx)
				if err != nil {
					return err
				}
				fmt.Fprintf(out, "%d values are sealed under master key %s now\n", n, key)
				status, names, err := k.Status(ctx)
				if err != nil {
					return err
				}
				return printStatus(out, status, names)
			})
		},
	}
	s.common(cmd.Flags())
	cmd.Flags().StringVar(&file, "new-key-file", "", "file with the new master key; made when it is not there")
	cmd.Flags().BoolVar(&addOnly, "add-only", false, "only make the new key known, for opening")
	return cmd
}

func rotateDataCommand() *cobra.Command {
	s := &settings{}
	var tenant string
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Give tenants new data keys, and encrypt their secrets with them",
		Args:  cobra.NoArgs,
		Long: "Creates a data key for each tenant and encrypts all of its secrets with it, in small steps, while " +
			"servers work. If it was\n" +
			"stopped, start it again: it continues. Older data keys stay until `grantwright keys prune`.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withSealing(cmd, func(ctx context.Context, k *sealing.Sealing) error {
				return k.Data(ctx, tenant, func(r sealing.Rotated) {
					fmt.Fprintf(
						cmd.OutOrStdout(),
						"tenant %s: %d values are now encrypted with version %d of its data key\n",
						r.Tenant,
						r.Values,
						r.Version,
					)
				})
			})
		},
	}
	s.common(cmd.Flags())
	cmd.Flags().StringVar(&tenant, "tenant", "", "short name of one tenant (default: all)")
	return cmd
}

func keysStatusCommand() *cobra.Command {
	s := &settings{}
	cmd := &cobra.Command{
		Use: "status", Short: "Count what is sealed under which key", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withSealing(cmd, func(ctx context.Context, k *sealing.Sealing) error {
				status, names, err := k.Status(ctx)
				if err != nil {
					return err
				}
				return printStatus(cmd.OutOrStdout(), status, names)
			})
		},
	}
	s.common(cmd.Flags())
	return cmd
}

func printStatus(out io.Writer, status seal.Status, names map[string]string) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "MASTER KEY\tHERE\tCOUNT\t")
	for _, m := range status.Masters {
		fmt.Fprintf(t, "%s\t%s\t%d\t%s\n", m.Key, roleOf(m), m.Values, hint(m))
	}
	fmt.Fprintln(t, "\nTENANT\tDATA KEY\tCOUNT\tUNDER OLDER KEYS")
	for _, u := range status.Tenants {
		fmt.Fprintf(t, "%s\tversion %d\t%d\t%d\n", names[u.Tenant], u.Newest, u.Values[u.Newest], u.Older())
	}
	return t.Flush()
}

func roleOf(m seal.MasterUse) string {
	switch {
	case m.Seals:
		return "seals"
	case m.Known:
		return "opens"
	}
	return "missing"
}

func hint(m seal.MasterUse) string {
	switch {
	case !m.Known:
		return "values encrypted with it cannot be decrypted here"
	case !m.Seals && m.Values == 0:
		return "not needed any more, but for older backups"
	}
	return ""
}

func dropMasterCommand() *cobra.Command {
	s := &settings{}
	cmd := &cobra.Command{
		Use:   "drop FINGERPRINT",
		Short: "Take an old master key out of the key file",
		Args:  cobra.ExactArgs(1),
		Long: "Refuses while anything lies under the key. Backups from before the rotation need it still: keep a " +
			"copy as long as you keep those.",
		RunE: func(cmd *cobra.Command, args []string) error {
			key := seal.Fingerprint(args[0])
			return s.withSealing(cmd, func(ctx context.Context, k *sealing.Sealing) error {
				status, _, err := k.Status(ctx)
				if err != nil {
					return err
				}
				for _, m := range status.Masters {
					if m.Key == key && (m.Values > 0 || m.Seals) {
						return fmt.Errorf("master key %s is in use: %d values lie under it", key, m.Values)
					}
				}
				if err := config.RemoveMasterKey(s.config, key); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "master key %s is gone from the key file\n", key)
				return nil
			})
		},
	}
	s.common(cmd.Flags())
	return cmd
}

func pruneCommand() *cobra.Command {
	s := &settings{}
	cmd := &cobra.Command{
		Use: "prune", Short: "Delete older data keys that nothing lies under", Args: cobra.NoArgs,
		Long: "Deletes data keys a day after they were replaced. Backups bring their own along.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withSealing(cmd, func(ctx context.Context, k *sealing.Sealing) error {
				n, err := k.Prune(ctx)
				if err == nil {
					fmt.Fprintf(cmd.OutOrStdout(), "%d older data keys are deleted\n", n)
				}
				return err
			})
		},
	}
	s.common(cmd.Flags())
	return cmd
}

// withSealing opens database and master keys for an operator's command.
func (s *settings) withSealing(cmd *cobra.Command, do func(context.Context, *sealing.Sealing) error) (err error) {
	log, err := s.prepare(cmd)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	ring, err := config.Keyring(s.config)
	if err != nil {
		return err
	}
	db, err := database.OpenToWork(ctx, s.config, log)
	if err != nil {
		return hinted(err)
	}
	defer func() { err = errors.Join(err, db.Close(context.WithoutCancel(ctx))) }()
	return do(ctx, &sealing.Sealing{DB: db.DB, Ring: ring})
}

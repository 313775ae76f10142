package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/app/database"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signing"
)

// keysCommand groups what is done with the deployment's keys. Each of its commands works while the server runs.
func keysCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "keys", Short: "Show and rotate the deployment's keys"}
	rotate := &cobra.Command{Use: "rotate", Short: "Replace keys by new ones, without an outage"}
	rotate.AddCommand(rotateSigningCommand(), rotateMasterCommand(), rotateDataCommand())
	cmd.AddCommand(listKeysCommand(), keysStatusCommand(), rotate, dropMasterCommand(), pruneCommand())
	return cmd
}

func listKeysCommand() *cobra.Command {
	s := &settings{}
	cmd := &cobra.Command{
		Use: "list", Short: "List the keys that sign tokens", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withKeys(cmd, func(ctx context.Context, k *signing.Rotator) error {
				all, err := k.List(ctx)
				if err != nil {
					return err
				}
				return printKeys(cmd.OutOrStdout(), all)
			})
		},
	}
	s.common(cmd.Flags())
	return cmd
}

func printKeys(out io.Writer, all []signing.SigningKey) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "KEY\tAUDIENCE\tSTATE\tMADE\tSIGNED FROM\tUNTIL")
	for _, k := range all {
		fmt.Fprintf(
			t,
			"%s\t%s\t%s\t%s\t%s\t%s\n",
			k.ID,
			k.Audience,
			k.State,
			moment(&k.CreatedAt),
			moment(k.ActivatedAt),
			moment(k.EndedAt),
		)
	}
	return t.Flush()
}

func moment(at *time.Time) string {
	if at == nil {
		return "-"
	}
	return at.UTC().Format(time.RFC3339)
}

func rotateSigningCommand() *cobra.Command {
	s := &settings{}
	var r signing.Rotation
	var retire string
	cmd := &cobra.Command{
		Use:   "signing",
		Short: "Rotate the keys that sign tokens",
		Args:  cobra.NoArgs,
		Long: "Rotates the keys of each audience by one step. The key that has been published for a day begins to " +
			"sign, the previous key only verifies until its\n" +
			"last token has expired, and a new key is published. Run it twice, a day apart, or with --now. All " +
			"sessions continue.\n\n" +
			"--retire disables a key that may be compromised at once. Every token that it signed is refused within " +
			"five seconds: people sign\n" +
			"in again, service tokens are created again, and agents renew their tokens with their own keys.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if retire != "" && (r.Now || len(r.Audiences) > 0) {
				return usageError{errors.New("--retire names one key; --now and --audience do not belong to it")}
			}
			return s.withKeys(cmd, func(ctx context.Context, k *signing.Rotator) error {
				var moved []signing.Moved
				var err error
				if retire != "" {
					moved, err = k.Retire(ctx, retire)
				} else {
					moved, err = k.Rotate(ctx, r)
				}
				if err != nil {
					return err
				}
				printMoved(cmd.OutOrStdout(), moved)
				return nil
			})
		},
	}
	s.common(cmd.Flags())
	f := cmd.Flags()
	f.StringSliceVar(&r.Audiences, "audience", nil, "api, refresh, agent or enroll (default: all)")
	f.BoolVar(
		&r.Now,
		"now",
		false,
		"sign with new keys at once, though who keeps a copy of the key set does not know them yet",
	)
	f.StringVar(&retire, "retire", "", "end this key and every token that it signed")
	return cmd
}

func printMoved(out io.Writer, moved []signing.Moved) {
	says := map[signing.State]string{
		signing.Active:     "signs from now on",
		signing.VerifyOnly: "signs no more; its tokens stay good",
		signing.Retired:    "is retired; its tokens are refused",
	}
	for _, m := range moved {
		what := says[m.Key.State]
		if m.Key.State == signing.Next {
			what = "is known and may sign from " + moment(&m.Until)
		}
		fmt.Fprintf(out, "%s key %s %s\n", m.Key.Audience, m.Key.ID, what)
	}
}

// withKeys opens the signing keys for an operator's command.
func (s *settings) withKeys(cmd *cobra.Command, do func(context.Context, *signing.Rotator) error) (err error) {
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
	keys, err := signing.OpenRotator(ctx, db.DB, ring)
	if err != nil {
		return err
	}
	return do(ctx, keys)
}

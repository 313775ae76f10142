package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/grantwright/grantwright/controlplane/internal/app"
	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/app/database"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

func auditCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "audit", Short: "Verify the audit log, and change the key that signs it"}
	cmd.AddCommand(verifyAuditCommand(), rotateAuditCommand())
	return cmd
}

func verifyAuditCommand() *cobra.Command {
	s := &settings{}
	var keys []string
	var tenant string
	cmd := &cobra.Command{
		Use:   "verify [FILE]",
		Short: "Verify an export of the audit log, or the log itself",
		Args:  cobra.MaximumNArgs(1),
		Long: "With a FILE, verifies an export as NDJSON (GET /api/v1/audit-events/export), plain or compressed with " +
			"gzip, without a server. Every entry must be\n" +
			"unchanged, in its place, and covered by a signed checkpoint. The file contains the public key; --key " +
			"gives the one that\n" +
			"you trust, as PEM, base64 or name+id+key, or as a file that contains it. Without --key, anyone who can " +
			"write a new file can also sign it:\n" +
			"compare the printed fingerprint.\n\n" +
			"Without a FILE, verifies the logs in the database. Exit code 1 names the first bad entry.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return verifyFile(cmd.OutOrStdout(), args[0], keys)
			}
			return s.verifyDatabase(cmd, tenant)
		},
	}
	s.common(cmd.Flags())
	cmd.Flags().
		StringArrayVar(&keys, "key", nil, "public key to trust, or a file with it; "+
			"once for each, where keys were rotated")
	cmd.Flags().StringVar(&tenant, "tenant", "", "short name of one tenant, without a FILE (default: all)")
	return cmd
}

func verifyFile(out io.Writer, path string, given []string) error {
	var keys []ed25519.PublicKey
	for _, each := range given {
		key, err := trusted(each)
		if err != nil {
			return usageError{err}
		}
		keys = append(keys, key)
	}
	r, err := chain.VerifyFile(path, keys...)
	if err != nil {
		return err
	}
	if r.Break != nil {
		return fmt.Errorf("%s does not verify: %w", path, r.Break)
	}
	printReport(out, r)
	return nil
}

// trusted reads a key that was given, or the file that holds it.
func trusted(given string) (ed25519.PublicKey, error) {
	text, err := os.ReadFile(given)
	switch {
	case err == nil:
		given = string(text)
	case !errors.Is(err, os.ErrNotExist) && !strings.Contains(given, "\n"):
		return nil, fmt.Errorf("read the key: %w", err)
	}
	key, err := chain.ParseKey(given)
	if err != nil {
		return nil, fmt.Errorf("key: %w", err)
	}
	return key, nil
}

func printReport(out io.Writer, r chain.Report) {
	if r.Events == 0 {
		fmt.Fprintln(out, "ok: the export is whole and holds no entry")
		return
	}
	fmt.Fprintf(
		out,
		"ok: %d entries of tenant %s, %d to %d, are as they were written; %d signed checkpoints\n",
		r.Events,
		r.Tenant,
		r.First,
		r.Last,
		r.Checkpoints,
	)
	if !r.Anchored {
		fmt.Fprintf(out, "note: entry %d continues one that is not in this file\n", r.First)
	}
	for _, k := range r.Keys {
		whose := "a key that was given"
		if !r.KeyGiven {
			whose = "a key out of the file itself: compare it with the one you trust"
		}
		fmt.Fprintf(out, "signed under %s (%s)\n", chain.Fingerprint(k), whose)
	}
}

func (s *settings) verifyDatabase(cmd *cobra.Command, tenant string) error {
	return s.withLog(cmd, func(db *pg.DB, ring *seal.Keyring, log *slog.Logger) error {
		return app.VerifyAudit(cmd.Context(), db, ring, tenant, log, func(v app.AuditVerdict) {
			fmt.Fprintf(
				cmd.OutOrStdout(),
				"ok: %s: %d entries up to %d are as they were written; %d signed checkpoints\n",
				v.Slug,
				v.Checked,
				v.Head.Seq,
				v.Checkpoints,
			)
		})
	})
}

func rotateAuditCommand() *cobra.Command {
	s := &settings{}
	cmd := &cobra.Command{
		Use:   "rotate-key",
		Short: "Sign checkpoints under a new key",
		Args:  cobra.NoArgs,
		Long: "Makes a new key for checkpoints. An entry in every tenant's log names it, and the old key signs each " +
			"log up to that entry; from then on the\n" +
			"new key signs. The old one stays to verify what it signed. Works while the server runs. When it is " +
			"interrupted, run it again.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withLog(cmd, func(db *pg.DB, ring *seal.Keyring, log *slog.Logger) error {
				fingerprint, err := app.RotateAuditKey(cmd.Context(), db, ring, log)
				if err == nil {
					fmt.Fprintf(cmd.OutOrStdout(), "checkpoints are signed under %s from now on\n", fingerprint)
				}
				return err
			})
		},
	}
	s.common(cmd.Flags())
	return cmd
}

// withLog opens the database for a command about the logs in it.
func (s *settings) withLog(
	cmd *cobra.Command,
	do func(db *pg.DB, ring *seal.Keyring, log *slog.Logger) error,
) (err error) {
	log, err := s.prepare(cmd)
	if err != nil {
		return err
	}
	ring, err := config.Keyring(s.config)
	if err != nil {
		return err
	}
	db, err := database.OpenToWork(cmd.Context(), s.config, log)
	if err != nil {
		return hinted(err)
	}
	defer func() { err = errors.Join(err, db.Close(context.WithoutCancel(cmd.Context()))) }()
	return do(db.DB, ring, log)
}

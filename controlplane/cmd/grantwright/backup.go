package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/grantwright/grantwright/controlplane/internal/app/backup"
	"github.com/grantwright/grantwright/controlplane/internal/app/config"
)

func backupCommand() *cobra.Command {
	s := &settings{}
	var to string
	cmd := &cobra.Command{
		Use:   "backup",
		Short: "Write the whole database into a folder",
		Args:  cobra.NoArgs,
		Long: "Writes a consistent copy of the database into a new folder. The server can run in the meantime. THE " +
			"MASTER KEY IS NOT IN IT: keep that\n" +
			"in another place, because anyone with both can read every secret. A backup without its master key " +
			"cannot be restored.\n\n" +
			"An external database needs a login that bypasses row security, in DATABASE_BACKUP_URL.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				return usageError{errors.New("--to is needed: a folder that is not there yet, or empty")}
			}
			log, err := s.prepare(cmd)
			if err != nil {
				return err
			}
			m, err := backup.Backup(cmd.Context(), s.config, to, version, log)
			if err != nil {
				return hinted(err)
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%d rows of %d tables are in %s (%d bytes)\n", rowsOf(m), len(m.Tables), to, m.Bytes)
			fmt.Fprintf(
				out,
				"\nTHE MASTER KEY IS NOT IN THE BACKUP. Without %s it cannot be restored: keep a copy of\n%s, in "+
					"another place than the backup.\n",
				keyNames(m),
				s.keyFiles(),
			)
			return nil
		},
	}
	s.common(cmd.Flags())
	cmd.Flags().StringVar(&to, "to", "", "folder for the backup")
	return cmd
}

func (s *settings) keyFiles() string {
	if len(s.config.MasterKeyFile) > 0 {
		return strings.Join(s.config.MasterKeyFile, ", ")
	}
	return config.DefaultKeyFile(s.config)
}

func rowsOf(m backup.Manifest) (n int64) {
	for _, rows := range m.Tables {
		n += rows
	}
	return n
}

func keyNames(m backup.Manifest) string {
	if len(m.MasterKeys) == 0 {
		return "it"
	}
	names := make([]string, len(m.MasterKeys))
	for i, key := range m.MasterKeys {
		names[i] = string(key)
	}
	return "key " + strings.Join(names, " and ")
}

func restoreCommand() *cobra.Command {
	s := &settings{}
	var from string
	cmd := &cobra.Command{
		Use:   "restore",
		Short: "Bring a backup into an empty database",
		Args:  cobra.NoArgs,
		Long: "Restores a backup into an empty database and verifies it: rows are counted, every secret is " +
			"decrypted, audit logs are verified.\n" +
			"The key file must contain the master key of the backup. Tokens from before the restore are refused, " +
			"because a backup does not\n" +
			"contain later revocations: people sign in again, and service tokens are created again. Changes after " +
			"the backup\n" +
			"that were already sent, by webhooks or in API responses, may happen and be sent again.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from == "" {
				return usageError{errors.New("--from is needed: the folder of a backup")}
			}
			log, err := s.prepare(cmd)
			if err != nil {
				return err
			}
			r, err := backup.Restore(cmd.Context(), s.config, from, log)
			if err != nil {
				return hinted(err)
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "restored as of %s: %d rows, tenants: %d; %d secrets open, %d audit entries verify\n",
				moment(&r.Manifest.MadeAt), r.Rows, r.Tenants, r.Secrets, r.Audited)
			fmt.Fprintf(
				out,
				"tokens from before are refused (epoch %d); %d deliveries of webhooks may be made a second time, "+
					"under the ids that they had\n",
				r.Epoch,
				r.Deliveries,
			)
			return nil
		},
	}
	s.common(cmd.Flags())
	cmd.Flags().StringVar(&from, "from", "", "folder of the backup")
	return cmd
}

// Package packcommand is the command "grantwright pack": authors of sector packs lint, build, sign and verify
// their packs with it. It needs no server.
//
// The main command adds it:
//
//	cmd.AddCommand(packcommand.New())
package packcommand

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/builtin"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/archive"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/schema"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/trial"
)

// UsageError is a mistake in how a command was called.
type UsageError struct{ error }

// New makes the command pack with all of its subcommands.
func New() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "pack",
		Short: "Write, try, sign and verify sector packs",
		Long: "A sector pack is a folder, or a .gwpack archive of it, with the field mappings, roles, birthrights " +
			"and policies that suit a sector. These commands\n" +
			"need no server. docs/sector-packs.md tells how a pack is written.",
	}
	cmd.AddCommand(
		lintPackCommand(),
		buildPackCommand(),
		signPackCommand(),
		verifyPackCommand(),
		keygenPackCommand(),
		listPackCommand(),
		schemaPackCommand(),
	)
	return cmd
}

func lintPackCommand() *cobra.Command {
	var lenient, asJSON bool
	cmd := &cobra.Command{
		Use:   "lint PACK",
		Short: "Check a pack and run its tests",
		Args:  cobra.ExactArgs(1),
		Long: "Checks a folder or an archive by the format's schema, checks what its parts say about one another, " +
			"and runs its tests. Exit code 1 when there is\n" +
			"an error; warnings alone are no failure.",
		RunE: func(cmd *cobra.Command, args []string) error {
			source, tried, problems, err := lint(args[0], lenient)
			if err != nil {
				return err
			}
			if asJSON {
				if err := printJSON(
					cmd.OutOrStdout(),
					map[string]any{"valid": source != nil, "tests": tried, "problems": problems},
				); err != nil {
					return err
				}
			} else {
				printProblems(cmd.OutOrStdout(), args[0], problems)
			}
			if source == nil {
				return fmt.Errorf("%s cannot be used: %s", args[0], counted(problems, diagnostic.Error))
			}
			if !asJSON {
				m := source.Pack.Metadata
				fmt.Fprintf(
					cmd.OutOrStdout(),
					"ok: %s %s, %s, %d tests passed%s\n",
					m.Key,
					m.Version,
					contents(source.Pack),
					tried,
					warned(problems),
				)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&lenient, "lenient", false, "warn of what is not known instead of refusing it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// lint reads a pack off the disk and lints it.
func lint(path string, lenient bool) (*format.Source, int, []diagnostic.Problem, error) {
	files, problems, err := archive.Open(path)
	if err != nil {
		return nil, 0, nil, err
	}
	if diagnostic.Failed(problems) {
		return nil, 0, problems, nil
	}
	source, tried, more := trial.Lint(files, format.Options{Lenient: lenient})
	return source, tried, append(problems, more...), nil
}

func printProblems(out io.Writer, path string, problems []diagnostic.Problem) {
	for _, p := range problems {
		if info, err := os.Stat(path); err == nil && info.IsDir() && p.File != "" {
			p.File = filepath.Join(path, filepath.FromSlash(p.File))
		}
		fmt.Fprintln(out, p)
	}
}

func counted(problems []diagnostic.Problem, severity string) string {
	n := 0
	for _, p := range problems {
		if p.Severity == severity {
			n++
		}
	}
	if n == 1 {
		return "1 " + severity
	}
	return fmt.Sprintf("%d %ss", n, severity)
}

func warned(problems []diagnostic.Problem) string {
	if len(problems) == 0 {
		return ""
	}
	return ", " + counted(problems, diagnostic.Warning)
}

// contents counts how many objects of each kind a pack has.
func contents(p format.Pack) string {
	var parts []string
	n := p.Contents()
	for _, k := range format.Kinds() {
		if n[k.Name] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[k.Name], k.Member))
		}
	}
	if parts == nil {
		return "nothing in it"
	}
	return strings.Join(parts, ", ")
}

func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func buildPackCommand() *cobra.Command {
	var output, key string
	cmd := &cobra.Command{
		Use:   "build DIR",
		Short: "Make an archive of a pack's folder",
		Args:  cobra.ExactArgs(1),
		Long: "Lints the folder and writes <key>-<version>.gwpack, or the file named by --output. The same folder " +
			"gives the same bytes. With --key the archive is\n" +
			"signed as well.",
		RunE: func(cmd *cobra.Command, args []string) error {
			source, tried, problems, err := lint(args[0], false)
			if err != nil {
				return err
			}
			printProblems(cmd.ErrOrStderr(), args[0], problems)
			if source == nil {
				return fmt.Errorf("%s is not built: %s", args[0], counted(problems, diagnostic.Error))
			}
			if key != "" {
				if err := signWith(source.Files, key); err != nil {
					return err
				}
			}
			m := source.Pack.Metadata
			if output == "" {
				output = m.Key + "-" + m.Version + ".gwpack"
			}
			n, err := writePack(output, source.Files)
			if err == nil {
				fmt.Fprintf(
					cmd.OutOrStdout(),
					"%s: %s %s, %d files, %d bytes, %d tests passed, %s\n",
					output,
					m.Key,
					m.Version,
					len(source.Files),
					n,
					tried,
					signedBy(source.Files),
				)
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write")
	cmd.Flags().StringVar(&key, "key", "", "private key to sign with, PEM; see keygen")
	return cmd
}

func signedBy(files archive.Files) string {
	if s, ok, err := files.Signature(); ok && err == nil {
		return "signed under " + s.KeyID
	}
	return "not signed"
}

// writePack writes an archive, which must not become larger than what is read again.
func writePack(path string, files archive.Files) (int, error) {
	packed, err := files.Pack()
	if err != nil {
		return 0, err
	}
	if _, problems := archive.Unpack(packed); diagnostic.Failed(problems) {
		return 0, errors.New(problems[0].String())
	}
	return len(packed), replaceFile(path, packed, 0o644)
}

// replaceFile writes a file whole or not at all.
func replaceFile(path string, content []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".grantwright-*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

func signWith(files archive.Files, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the key: %w", err)
	}
	key, err := archive.ParsePrivateKey(text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	files.Sign(key)
	return nil
}

func signPackCommand() *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use:   "sign PACK",
		Short: "Sign a pack",
		Args:  cobra.ExactArgs(1),
		Long: "Signs a folder (SIGNATURE is written into it) or an archive (which is written anew). What is signed " +
			"is the list of all other files, sorted by path,\n" +
			"one \"sha256  path\" a line: the pack cannot be changed afterwards without the signature failing.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if key == "" {
				return UsageError{
					errors.New("--key names the private key to sign with; make one with: grantwright pack keygen"),
				}
			}
			files, problems, err := archive.Open(args[0])
			if err != nil {
				return err
			}
			if diagnostic.Failed(problems) {
				printProblems(cmd.ErrOrStderr(), args[0], problems)
				return fmt.Errorf("%s is not signed: it cannot be read", args[0])
			}
			if err := signWith(files, key); err != nil {
				return err
			}
			info, err := os.Stat(args[0])
			if err != nil {
				return err
			}
			if info.IsDir() {
				err = replaceFile(filepath.Join(args[0], "SIGNATURE"), files["SIGNATURE"], 0o644)
			} else {
				_, err = writePack(args[0], files)
			}
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %d files\n", args[0], signedBy(files), len(files)-1)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "private key, PEM; see keygen")
	return cmd
}

func verifyPackCommand() *cobra.Command {
	var keys []string
	cmd := &cobra.Command{
		Use:   "verify PACK",
		Short: "Verify who has signed a pack",
		Args:  cobra.ExactArgs(1),
		Long: "Verifies that one of the keys given by --key has signed exactly the files of a folder or an archive. " +
			"Exit code 1 otherwise.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(keys) == 0 {
				return UsageError{errors.New("--key names the public key that you trust, or a file of several")}
			}
			trusted, err := publicKeys(keys)
			if err != nil {
				return UsageError{err}
			}
			files, problems, err := archive.Open(args[0])
			if err != nil {
				return err
			}
			if diagnostic.Failed(problems) {
				return errors.New(problems[0].String())
			}
			by, err := files.Verify(trusted...)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			fmt.Fprintf(
				cmd.OutOrStdout(),
				"ok: %d files are as they were signed under %s; checksum %s\n",
				len(files)-1,
				archive.KeyID(by),
				files.Checksum(),
			)
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&keys, "key", nil, "file with public keys to trust, PEM; may be given several times")
	return cmd
}

func publicKeys(paths []string) (keys []ed25519.PublicKey, err error) {
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read the key: %w", err)
		}
		more, err := archive.ParsePublicKeys(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		keys = append(keys, more...)
	}
	return keys, nil
}

func keygenPackCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "keygen NAME",
		Short: "Make a pair of keys to sign packs with",
		Args:  cobra.ExactArgs(1),
		Long: "Writes the private key NAME.key.pem, for sign, and the public key NAME.pub.pem, for verify and " +
			"--pack-trusted-keys. Neither file is overwritten.",
		RunE: func(cmd *cobra.Command, args []string) error {
			private, public, err := archive.NewKey()
			if err != nil {
				return err
			}
			for _, file := range []struct {
				name    string
				content []byte
				mode    os.FileMode
			}{{args[0] + ".key.pem", private, 0o600}, {args[0] + ".pub.pem", public, 0o644}} {
				f, err := os.OpenFile(file.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, file.mode)
				if err != nil {
					return err
				}
				_, err = f.Write(file.content)
				if err := errors.Join(err, f.Close()); err != nil {
					return err
				}
			}
			keys, err := archive.ParsePublicKeys(public)
			if err == nil {
				fmt.Fprintf(
					cmd.OutOrStdout(),
					"%s.key.pem and %s.pub.pem: key %s; keep the first one secret\n",
					args[0],
					args[0],
					archive.KeyID(keys[0]),
				)
			}
			return err
		},
	}
}

func listPackCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the packs that come with the service", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, s := range builtin.All() {
				m := s.Pack.Metadata
				fmt.Fprintf(cmd.OutOrStdout(), "%-22s %-8s %s\n", m.Key, m.Version, m.Name)
			}
			return nil
		},
	}
}

func schemaPackCommand() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of the format", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(schema.JSON)
			return err
		},
	}
}

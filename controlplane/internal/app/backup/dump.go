package backup

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// runDump runs pg_dump into a new file, and gives the file's digest and size.
func runDump(ctx context.Context, tool, raw, path string, args ...string) (digest string, size int64, err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", 0, fmt.Errorf("write the backup: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	sum := sha256.New()
	out := &counted{to: io.MultiWriter(file, sum)}
	if err := runTool(ctx, tool, raw, nil, out, args...); err != nil {
		return "", 0, err
	}
	if err := file.Sync(); err != nil {
		return "", 0, fmt.Errorf("write the backup: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), out.n, nil
}

type counted struct {
	to io.Writer
	n  int64
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.n += int64(n)
	return n, err
}

// runTool runs one of PostgreSQL's programs on a database. The password travels in the environment: what is on a
// command line can be read by everybody on the machine.
func runTool(ctx context.Context, tool, raw string, in io.Reader, out io.Writer, args ...string) error {
	address, password, err := withoutPassword(raw)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, tool, append(args, "--no-password", "--dbname="+address)...)
	cmd.Env = []string{
		"PATH=" + filepath.Dir(tool) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + os.Getenv("HOME"),
		"LC_ALL=C",
		"PGPASSWORD=" + password,
	}
	for _, name := range []string{"PGSSLMODE", "PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY", "SystemRoot"} {
		if value := os.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	var said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &said
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s: %w: %s", filepath.Base(tool), err, lastLines(said.String()))
	}
	return nil
}

// lastLines keeps an error readable.
func lastLines(text string) string {
	const most = 1500
	if text = strings.TrimSpace(text); len(text) > most {
		text = "…" + text[len(text)-most:]
	}
	return text
}

// withoutPassword takes the password out of a database URL, from both places that it may stand in.
func withoutPassword(raw string) (address, password string, err error) {
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		return "", "", errors.New(
			"the database must be named by a URL like postgres://user:password@host:port/database",
		)
	}
	if given, found := u.User.Password(); found {
		password, u.User = given, url.User(u.User.Username())
	}
	query := u.Query()
	if given := query.Get("password"); given != "" {
		password = given
		query.Del("password")
		u.RawQuery = query.Encode()
	}
	return u.String(), password, nil
}

// digestOf is the SHA-256 of a file.
func digestOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read the backup: %w", err)
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("read the backup: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

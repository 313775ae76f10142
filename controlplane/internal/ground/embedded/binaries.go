package embedded

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// minMajor is the oldest PostgreSQL we support: 15 brought MERGE, NULLS NOT DISTINCT and security_invoker views.
const minMajor = 15

// binaries is a folder with postgres and initdb of one version.
type binaries struct {
	dir     string
	version string // as the binary says it, for instance "15.18"
	major   int
}

// path is the full path of one program.
func (b binaries) path(program string) string {
	return filepath.Join(b.dir, program+exeSuffix)
}

// NotFoundError says that no PostgreSQL of a supported version is installed.
type NotFoundError struct {
	// Looked lists the folders that were tried.
	Looked []string
	// TooOld lists the installations that were found but are older than PostgreSQL 15.
	TooOld []string
	// Hint is one line that says how to install PostgreSQL here.
	Hint string
}

// Error says what is missing and how to get it.
func (e *NotFoundError) Error() string {
	if len(e.TooOld) > 0 {
		return fmt.Sprintf(
			"found only PostgreSQL older than %d (%s); %s",
			minMajor,
			strings.Join(e.TooOld, ", "),
			e.Hint,
		)
	}
	return fmt.Sprintf("no PostgreSQL binaries found (looked in %s); %s", strings.Join(e.Looked, ", "), e.Hint)
}

// VersionError says that a data directory was made by another major version than the binaries at hand.
// The directory is left as it is.
type VersionError struct {
	Dir string
	// Data is the major version that made the directory, Binaries what is installed.
	Data     int
	Binaries []string
}

// Error says which versions differ and what to do.
func (e *VersionError) Error() string {
	return fmt.Sprintf("%s was made by PostgreSQL %d, but the installed binaries are %s: install PostgreSQL %d, "+
		"or move the data over with pg_upgrade or pg_dump; nothing was changed",
		e.Dir, e.Data, strings.Join(e.Binaries, ", "), e.Data)
}

// findBinaries returns the first usable installation: override alone when given, else PATH and the usual
// places, newest first. When the data directory exists already its major version decides among them.
func findBinaries(ctx context.Context, override, data string, major int) (binaries, error) {
	missing := &NotFoundError{Looked: candidates(override)}
	var other []string
	for _, dir := range missing.Looked {
		b, err := inspect(ctx, dir)
		switch {
		case err != nil:
			continue
		case b.major < minMajor:
			missing.TooOld = append(missing.TooOld, b.version+" in "+b.dir)
		case major != 0 && b.major != major:
			other = append(other, b.version+" in "+b.dir)
		default:
			return b, nil
		}
	}
	if ctx.Err() != nil {
		return binaries{}, ctx.Err()
	}
	if len(other) > 0 {
		return binaries{}, &VersionError{Dir: data, Data: major, Binaries: other}
	}
	missing.Hint = PendingHint(runtime.GOOS)
	return binaries{}, missing
}

// candidates lists the folders to look in, best first.
func candidates(override string) []string {
	if override != "" {
		return []string{override}
	}
	var dirs []string
	if found, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(found); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	for _, pattern := range usualPlaces {
		matches, _ := filepath.Glob(pattern) // the only error is a malformed pattern, and these are constants
		slices.SortFunc(matches, func(a, b string) int { return lastNumber(b) - lastNumber(a) })
		dirs = append(dirs, matches...)
	}
	return slices.DeleteFunc(dirs, func(dir string) bool {
		_, err := os.Stat(dir)
		return err != nil
	})
}

// usualPlaces are where distributions, postgresql.org's packages, Homebrew and the Windows installer put the
// server's programs.
var usualPlaces = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/usr/lib/postgresql*/bin",
	"/usr/libexec/postgresql*",
	"/opt/homebrew/opt/postgresql@*/bin",
	"/usr/local/opt/postgresql@*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
	"/usr/local/pgsql/bin",
	"/usr/bin",
	`C:\Program Files\PostgreSQL\*\bin`,
}

var digits = regexp.MustCompile(`\d+`)

// lastNumber is the version in a path such as /usr/lib/postgresql/15/bin, or 0.
func lastNumber(path string) int {
	all := digits.FindAllString(path, -1)
	if len(all) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(all[len(all)-1])
	return n
}

var versionLine = regexp.MustCompile(`\(PostgreSQL\) ((\d+)\S*)`)

// inspect asks the folder's postgres for its version; both postgres and initdb must be there.
func inspect(ctx context.Context, dir string) (binaries, error) {
	b := binaries{dir: dir}
	if _, err := os.Stat(b.path("initdb")); err != nil {
		return b, err
	}
	cmd := exec.CommandContext(ctx, b.path("postgres"), "--version")
	cmd.Env = cleanEnv(dir)
	out, err := cmd.Output()
	if err != nil {
		return b, err
	}
	m := versionLine.FindStringSubmatch(string(out))
	if m == nil {
		return b, fmt.Errorf("%s answers %q", b.path("postgres"), out)
	}
	b.version = m[1]
	b.major, err = strconv.Atoi(m[2])
	return b, err
}

// cleanEnv is all that PostgreSQL gets to see of our environment, which may hold secrets.
func cleanEnv(binDir string) []string {
	env := []string{"PATH=" + binDir + string(os.PathListSeparator) + "/usr/bin:/bin", "LC_ALL=C"}
	if root := os.Getenv("SystemRoot"); root != "" {
		env = append(env, "SystemRoot="+root)
	}
	return env
}

// Command pack makes what a customer installs of the agent: a deb and an rpm for Linux, a zip for Windows, and
// SHA256SUMS over them. It builds the agent's program for every target and knows nothing of what is inside it.
//
// The same source gives the same bytes wherever it is packed. All dates are SOURCE_DATE_EPOCH, or that of the last
// commit.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "pack:", err)
		}
		os.Exit(1)
	}
}

// job is one packing.
type job struct {
	described string    // version as `git describe` gives it; the program prints it
	version   string    // the same as deb and rpm take it
	date      time.Time // of every file
	source    string    // folder of the repository
	nfpm      string    // program; absolute, as it is run in another folder
	targets   []target
	work      string // folder for what is made on the way
	finished  string // folder of the finished packages, inside work
}

// target is a system to pack for.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

var allTargets = []target{{"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	set := flag.NewFlagSet("pack", flag.ContinueOnError)
	set.SetOutput(errs)
	version := set.String(
		"version",
		"",
		"`version` as git describe gives it, such as 0.1.0 or 0.1.0-5-gabc1234; dev for none",
	)
	to := set.String("out", "dist", "`folder` for the packages")
	nfpm := set.String("nfpm", "bin/nfpm", "`path` of nfpm")
	source := set.String("source", ".", "`folder` of the repository")
	targets := set.String("targets", "", "comma-separated `targets` such as linux/amd64; default: all")
	if err := set.Parse(args); err != nil {
		return err
	}
	if set.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", set.Arg(0))
	}
	j, err := prepare(ctx, *version, *source, *nfpm, *targets)
	if err != nil {
		return err
	}
	return j.into(ctx, *to, out)
}

// prepare checks everything that can be checked before minutes are spent on building.
func prepare(ctx context.Context, version, source, nfpm, targets string) (*job, error) {
	j := &job{described: version}
	var err error
	if j.source, err = filepath.Abs(source); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(j.source, "installers", "linux", "nfpm.yaml")); err != nil {
		return nil, fmt.Errorf("--source %s is not the repository: %w", source, err)
	}
	if j.nfpm, err = filepath.Abs(nfpm); err != nil {
		return nil, err
	}
	if _, err := exec.LookPath(j.nfpm); err != nil {
		return nil, fmt.Errorf("--nfpm: %w; `make bin/nfpm` builds it", err)
	}
	if j.targets, err = parseTargets(targets); err != nil {
		return nil, err
	}
	if j.date, err = sourceDate(ctx, j.source); err != nil {
		return nil, err
	}
	if j.version, err = packageVersion(version, j.date); err != nil {
		return nil, err
	}
	return j, nil
}

func parseTargets(text string) ([]target, error) {
	if text == "" {
		return allTargets, nil
	}
	var list []target
next:
	for _, name := range strings.Split(text, ",") {
		for _, t := range allTargets {
			if t.String() == name {
				list = append(list, t)
				continue next
			}
		}
		return nil, fmt.Errorf("--targets: %q is none of %v", name, allTargets)
	}
	return list, nil
}

// sourceDate is the date that every packed file gets (https://reproducible-builds.org/specs/source-date-epoch/).
func sourceDate(ctx context.Context, source string) (time.Time, error) {
	seconds := os.Getenv("SOURCE_DATE_EPOCH")
	if seconds == "" {
		text, err := output(ctx, source, nil, "git", "log", "-1", "--format=%ct")
		if err != nil {
			return time.Time{}, fmt.Errorf("date of the last commit: %w; without git, set SOURCE_DATE_EPOCH", err)
		}
		seconds = strings.TrimSpace(text)
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %q is not a number of seconds since 1970", seconds)
	}
	return time.Unix(n, 0).UTC(), nil
}

// into packs for every target and moves the packages to folder when all are made: a failure leaves what was there.
func (j *job) into(ctx context.Context, folder string, out io.Writer) (err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if j.work, err = os.MkdirTemp(folder, ".pack-"); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(j.work)) }()
	if j.work, err = filepath.Abs(j.work); err != nil {
		return err
	}
	j.finished = filepath.Join(j.work, "finished")
	if err := os.Mkdir(j.finished, 0o755); err != nil {
		return err
	}
	for _, t := range j.targets {
		if err := j.pack(ctx, t); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
	}
	names, err := writeSums(j.finished)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := os.Rename(filepath.Join(j.finished, name), filepath.Join(folder, name)); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

func (j *job) pack(ctx context.Context, t target) error {
	program, err := j.build(ctx, t)
	if err != nil {
		return err
	}
	if t.os == "windows" {
		return j.packWindows(t, program)
	}
	return j.packLinux(ctx, t, program)
}

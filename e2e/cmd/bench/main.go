// Command bench measures a whole deployment and prints each figure beside its goal:
//
//	bench [--bin DIR] [--dir DIR] [--run ldap,http,resume,million,list,dispatch,pipeline,slow,hostile]
//
// It starts what it needs — a control plane with a private PostgreSQL, an agent, a slapd — and ends it again. A goal
// that is missed is told, and is no failure: the exit code is 1 only when something could not be measured.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/grantwright/grantwright/e2e/rig"
)

// part is something that can be measured.
type part struct {
	name    string
	measure func(context.Context, *bench) error
}

// parts are all, in this order.
var parts = []part{
	{"ldap", ldap},
	{"http", overHTTP},
	{"resume", resume},
	{"million", million},
	{"list", list},
	{"dispatch", dispatch},
	{"pipeline", pipeline},
	{"slow", slow},
	{"hostile", hostile},
}

func main() {
	bin := flag.String("bin", "bin", "directory of the programs")
	dir := flag.String("dir", "", "directory to work in (default: a temporary one)")
	run := flag.String(
		"run",
		"ldap,http,resume,million,list,dispatch,pipeline,slow,hostile",
		"what to measure, separated by commas",
	)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := measure(ctx, *bin, *dir, strings.Split(*run, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, bin, dir string, names []string) error {
	bin, err := filepath.Abs(bin)
	if err != nil {
		return err
	}
	if err := rig.Programs(bin); err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(parts, func(p part) bool { return p.name == name }) {
			return fmt.Errorf("there is nothing called %q to measure", name)
		}
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "gwb-"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
	}
	fmt.Printf("%d processors, %s/%s, everything on this machine\n\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	fmt.Printf("%-82s %12s %12s %7s\n", "", "goal", "measured", "ratio")
	for _, p := range parts {
		if slices.Contains(names, p.name) {
			if err := alone(ctx, bin, filepath.Join(dir, p.name), p.measure); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	return nil
}

// alone measures one part with a deployment of its own.
func alone(ctx context.Context, bin, dir string, measure func(context.Context, *bench) error) error {
	ctx, cancel := context.WithTimeout(ctx, 40*time.Minute)
	defer cancel()
	b := &bench{bin: bin, dir: dir}
	defer b.close()
	if err := b.start(ctx); err != nil {
		return err
	}
	return measure(ctx, b)
}

// atMost prints a figure that should be small, and its share of the goal.
func atMost(what string, goal, measured float64, unit string) {
	line(what, "<= "+show(goal, unit), show(measured, unit), measured/goal, measured <= goal)
}

// atLeast prints a figure that should be large, and its share of the goal.
func atLeast(what string, goal, measured float64, unit string) {
	line(what, ">= "+show(goal, unit), show(measured, unit), measured/goal, measured >= goal)
}

// note prints a figure without a goal.
func note(what string, measured float64, unit string) {
	fmt.Printf("%-82s %12s %12s\n", what, "", show(measured, unit))
}

func line(what, goal, measured string, ratio float64, pass bool) {
	verdict := "MISS"
	if pass {
		verdict = "PASS"
	}
	fmt.Printf("%-82s %12s %12s %7.2f  %s\n", what, goal, measured, ratio, verdict)
}

func show(v float64, unit string) string {
	switch unit {
	case "%", "/s":
		return fmt.Sprintf("%.0f %s", v, unit)
	case "x":
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.2f %s", v, unit)
}

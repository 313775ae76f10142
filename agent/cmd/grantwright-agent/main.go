// Command grantwright-agent reads a site's directories for a Grantwright control plane that cannot reach them itself.
// It connects outward only; nothing connects to it.
//
// Exit codes: 0 success, 1 a failure or a check that failed, 3 not enrolled, 4 revoked, 5 the control plane cannot be
// reached, 6 its certificate is not trusted, 64 wrong usage. 2 is a crash: the Go runtime ends a program with it.
//
// Certificates with a negative serial number are accepted: authorities of directories make such ones, and nothing but
// the serial number is wrong with them.
//
//go:debug x509negativeserial=1
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/agent/internal/service"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitNotEnrolled = service.NotEnrolled
	exitRevoked     = service.Revoked
	exitNetwork     = 5
	exitTLS         = 6
	exitUsage       = service.Usage
)

// version is set by the build: -ldflags "-X main.version=1.2.3".
var version = ""

// main runs one command and exits with its code.
func main() {
	c := command{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	os.Exit(c.run(os.Args[1:]))
}

// command is one call of the program.
type command struct {
	// in, out and err are the standard streams, or buffers in tests.
	in       io.Reader
	out, err io.Writer
}

const usage = `grantwright-agent reads this site's directories for a Grantwright control plane.

  enroll --url URL (--token-stdin | --token-file FILE) [--data DIR] [--ca-file FILE] [--proxy URL]
                        make this host an agent; the token is shown when the agent is created
  run [--data DIR]      connect and work until stopped
  status [--json]       tell how the agent is; exit code 0 when it is online
  doctor [--json] [--url URL]
                        look step by step for what keeps the agent from its control plane, and tell how to mend it
  drain [--undo] [--wait DURATION]
                        finish what runs and take nothing new, until the agent is restarted or --undo
  service install|uninstall|start|stop|unit [--data DIR]
                        run as a service of this host; unit prints the systemd unit
  version               print the version

Every command takes --data DIR; without it GRANTWRIGHT_AGENT_DATA or %s is used.
HTTPS_PROXY and NO_PROXY are honoured. "grantwright-agent COMMAND -h" tells more.

Exit codes: 0 well, 1 failed, 3 not enrolled, 4 revoked, 5 control plane not reached, 6 certificate not trusted,
  64 wrong usage
`

// run runs the subcommand that the first argument names, and gives the exit code.
func (c command) run(args []string) int {
	if len(args) == 0 {
		fmt.Fprintf(c.err, usage, defaultDir())
		return exitUsage
	}
	switch rest := args[1:]; args[0] {
	case "enroll":
		return c.enroll(rest)
	case "run":
		return c.work(rest)
	case "status":
		return c.status(rest)
	case "doctor":
		return c.doctor(rest)
	case "drain":
		return c.drain(rest)
	case "service":
		return c.service(rest)
	case "version", "--version":
		fmt.Fprintf(
			c.out,
			"grantwright-agent %s (%s, %s/%s)\n",
			buildVersion(),
			runtime.Version(),
			runtime.GOOS,
			runtime.GOARCH,
		)
		return exitOK
	case "help", "-h", "--help":
		fmt.Fprintf(c.out, usage, defaultDir())
		return exitOK
	}
	fmt.Fprintf(c.err, "unknown command %q; grantwright-agent help lists them\n", args[0])
	return exitUsage
}

// flags makes a command's flags with what all share.
func (c command) flags(name string) (set *flag.FlagSet, data *string) {
	set = flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(c.err)
	dir := os.Getenv("GRANTWRIGHT_AGENT_DATA")
	if dir == "" {
		dir = defaultDir()
	}
	return set, set.String("data", dir, "data `directory` of the agent")
}

// parse reads args. done says that the command ends here, with code.
func (c command) parse(set *flag.FlagSet, args []string) (code int, done bool) {
	err := set.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK, true
	case err != nil:
		return exitUsage, true
	case set.NArg() > 0:
		// The argument itself is not repeated: it may be a token.
		return c.usage(
			"%s takes no arguments, only flags; a token comes by --token-stdin or --token-file",
			set.Name(),
		), true
	}
	return exitOK, false
}

// usage prints what is wrong with the call, and gives the exit code for it.
func (c command) usage(format string, args ...any) int {
	fmt.Fprintf(c.err, format+"\n", args...)
	return exitUsage
}

// fail prints err and gives the exit code that belongs to it.
func (c command) fail(err error) int {
	fmt.Fprintln(c.err, "grantwright-agent:", err)
	return codeOf(err)
}

// defaultDir is where the operating system keeps data of services.
func defaultDir() string {
	switch runtime.GOOS {
	case "windows":
		return filepath.Join(os.Getenv("ProgramData"), "Grantwright", "Agent")
	case "darwin":
		return "/Library/Application Support/Grantwright Agent"
	}
	return service.StateDir
}

// absolute makes the data directory independent of the working directory.
func absolute(dir string) (config.Dir, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("data directory: %w", err)
	}
	return config.Dir(path), nil
}

// buildVersion is the version of the build, or of the source it was built from.
func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				return "0.0.0-" + s.Value[:12]
			}
		}
	}
	return "0.0.0-dev"
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"text/tabwriter"
	"time"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/agent/internal/doctor"
	"github.com/grantwright/grantwright/agent/internal/policy"
)

// doctor is the subcommand doctor: it examines the agent step by step and says what to do about
// each failure. With --url it tries a control plane before the host is enrolled. The exit code is
// exitFailed if a step failed.
func (c command) doctor(args []string) int {
	set, data := c.flags("doctor")
	asJSON := set.Bool("json", false, "print JSON")
	url := set.String("url", "", "`address` of the control plane to try instead of the one this host is enrolled with")
	ca := set.String("ca-file", "", "with --url: PEM `file` with certificates to trust besides the system's")
	proxy := set.String("proxy", "", "with --url: `URL` of the proxy; default: HTTPS_PROXY")
	insecure := set.Bool("insecure-http", false, "with --url: allow plain http to another host")
	if code, done := c.parse(set, args); done {
		return code
	}
	if *url == "" && (*ca != "" || *proxy != "" || *insecure) {
		return c.usage(
			"doctor takes --ca-file, --proxy and --insecure-http together with --url alone; without it the settings " +
				"of the enrolment are tried",
		)
	}
	dir, err := absolute(*data)
	if err != nil {
		return c.fail(err)
	}
	d := &doctor.Doctor{Dir: dir, Version: buildVersion(), Now: time.Now, AllowTargets: os.Getenv(policy.Env)}
	if *url != "" {
		d.Settings = &config.Settings{URL: *url, Proxy: *proxy, InsecureHTTP: *insecure}
		if *ca != "" {
			if d.Settings.CA, err = os.ReadFile(*ca); err != nil {
				return c.fail(fmt.Errorf("read --ca-file: %w", err))
			}
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r := d.Examine(ctx)
	if *asJSON {
		enc := json.NewEncoder(c.out)
		enc.SetIndent("", "  ")
		err = enc.Encode(r)
	} else {
		err = c.printReport(r)
	}
	if err != nil {
		return c.fail(err)
	}
	return examined(r)
}

// examined is the exit code of a report.
func examined(r doctor.Report) int {
	failed := r.Failed()
	switch {
	case failed == nil && !r.Enrolled && r.ControlPlane == "":
		return exitNotEnrolled
	case failed == nil:
		return exitOK
	case failed.Code == "agent_revoked":
		return exitRevoked
	}
	switch failed.Name {
	case doctor.DNS, doctor.TCP, doctor.Proxy:
		return exitNetwork
	case doctor.TLS:
		return exitTLS
	}
	return exitFailed
}

// printReport prints the steps in columns, with the advice below each failed one.
func (c command) printReport(r doctor.Report) error {
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, s := range r.Steps {
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Status, s.Name, s.Detail)
		if s.Mend != "" {
			fmt.Fprintf(w, "\t\t-> %s\n", s.Mend)
		}
	}
	return w.Flush()
}

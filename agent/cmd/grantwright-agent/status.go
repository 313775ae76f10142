package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/grantwright/grantwright/agent/internal/config"
)

// report is what status prints.
type report struct {
	config.Status
	// Online says that the agent is connected at this moment.
	Online       bool   `json:"online"`
	AgentID      string `json:"agent_id"`
	Name         string `json:"name"`
	ControlPlane string `json:"control_plane"`
	// IdentityFingerprint and SealingFingerprint are those that the control plane shows for the
	// agent.
	IdentityFingerprint string `json:"identity_fingerprint"`
	SealingFingerprint  string `json:"sealing_fingerprint"`
}

// status is the subcommand status. The exit code is exitFailed if the agent is not online, for
// scripts.
func (c command) status(args []string) int {
	set, data := c.flags("status")
	asJSON := set.Bool("json", false, "print JSON")
	if code, done := c.parse(set, args); done {
		return code
	}
	dir, err := absolute(*data)
	if err != nil {
		return c.fail(err)
	}
	r, err := readReport(dir, time.Now())
	if err != nil {
		return c.fail(err)
	}
	if *asJSON {
		enc := json.NewEncoder(c.out)
		enc.SetIndent("", "  ")
		err = enc.Encode(r)
	} else {
		err = c.print(r)
	}
	if err != nil {
		return c.fail(err)
	}
	if !r.Online {
		return exitFailed
	}
	return exitOK
}

// readReport reads everything from the data directory; it does not ask the agent.
func readReport(dir config.Dir, now time.Time) (report, error) {
	state, err := dir.LoadState()
	if err != nil {
		return report{}, err
	}
	settings, err := dir.LoadSettings()
	if err != nil {
		return report{}, err
	}
	keys, err := dir.LoadKeys()
	if err != nil {
		return report{}, err
	}
	status, err := dir.LoadStatus(now)
	if err != nil {
		return report{}, err
	}
	status.TokenExpires = state.ExpiresAt
	return report{
		Status:              status,
		Online:              status.State == config.Online,
		AgentID:             state.AgentID,
		Name:                state.Name,
		ControlPlane:        settings.URL,
		IdentityFingerprint: keys.IdentityFingerprint(),
		SealingFingerprint:  keys.SealingFingerprint(),
	}, nil
}

// print prints the report for people, leaving out what does not apply.
func (c command) print(r report) error {
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%s\t"+format+"\n", append([]any{name}, args...)...)
	}
	line("state", "%s", r.State)
	line("agent", "%s (%s)", r.Name, r.AgentID)
	line("control plane", "%s", r.ControlPlane)
	if r.LastConnected != nil {
		line("last connected", "%s", r.LastConnected.Local().Format(time.DateTime))
	} else {
		line("last connected", "never")
	}
	line("token expires", "%s", r.TokenExpires.Local().Format(time.DateTime))
	line("identity key", "%s", r.IdentityFingerprint)
	line("sealing key", "%s", r.SealingFingerprint)
	if r.Online {
		line("tasks", "%d", r.InFlight)
	}
	if r.Draining {
		line("draining", "takes no new tasks")
	}
	if r.SpoolBytes > 0 {
		line("spool", "%d MiB wait for the control plane", (r.SpoolBytes+1<<20-1)>>20)
	}
	if r.LastError != "" {
		line("last error", "%s", r.LastError)
	}
	return w.Flush()
}

package harness

import (
	"errors"
	"os/exec"
	"path/filepath"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/process"
	"github.com/grantwright/grantwright/e2e/rig"
)

// Operate runs a command of the control plane's program on the deployment's data, beside the service or without it, and
// answers what it prints, complaints included, and its exit code.
func (h *House) Operate(args ...string) (out string, code int) {
	h.t.Helper()
	return h.Program(nil, append(args, "--data", h.Plane.Data)...)
}

// Program is Operate with an environment and without naming the data.
func (h *House) Program(env []string, args ...string) (out string, code int) {
	h.t.Helper()
	out, err := process.Run(Context(h.t), process.Spec{
		Name: "grantwright " + args[0],
		Path: filepath.Join(h.Plane.Bin, rig.ControlPlaneProgram),
		Log:  h.log("commands"),
		Args: args,
		Env:  env,
	}, "")
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out + err.Error(), exit.ExitCode()
	}
	h.check(err)
	return out, 0
}

// MustOperate is Operate for a command that has to end well.
func (h *House) MustOperate(args ...string) string {
	h.t.Helper()
	out, code := h.Operate(args...)
	if code != 0 {
		h.t.Fatalf("grantwright %v ended with %d: %s", args, code, out)
	}
	return out
}

// NoSecretInBackup looks through a backup, as it is and unpacked, for every secret that passed between the test and the
// service.
func (h *House) NoSecretInBackup(dir string) {
	h.t.Helper()
	h.sweepDir(dir)
	restore := filepath.Join(filepath.Dir(pgDump()), "pg_restore")
	if filepath.Dir(pgDump()) == "." {
		restore = "pg_restore"
	}
	unpacked, err := exec.Command(restore, "--file=-", filepath.Join(dir, "database.dump")).Output()
	h.check(err)
	if len(unpacked) == 0 {
		h.t.Error("the backup holds nothing")
	}
	h.sweepBytes("the backup", unpacked)
}

// InItsPlace is a deployment with another data directory, empty or not there yet, that will answer at this one's
// address once this one has ended. Nothing runs yet.
func (h *House) InItsPlace(data string) *House {
	h.t.Helper()
	other := *h
	plane := *h.Plane
	plane.Data, plane.Log, plane.Child = filepath.Join(h.Dir, data), h.log(data), nil
	other.Plane = &plane
	h.t.Cleanup(other.close)
	return &other
}

// Person makes a person by the API and answers their id.
func (h *House) Person(c *api.Client, number string) string {
	h.t.Helper()
	var made struct {
		ID string `json:"id"`
	}
	h.check(c.Post(Context(h.t), "/identities", map[string]any{
		"external_id": number, "email": number + "@people.example", "first_name": "Ada", "last_name": "No. " + number,
	}, &made))
	return made.ID
}

// Password is what somebody whom a test has invited signs in with.
func Password(email string) string { return "correct horse of " + email }

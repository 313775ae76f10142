package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// host is a make-believe host for the packages' scripts: their paths lie in a folder, and the programs that would
// change the host write down how they were called.
type host struct {
	root, calls string
	t           *testing.T
}

func newHost(t *testing.T, systemd bool) host {
	h := host{root: t.TempDir(), t: t}
	h.calls = filepath.Join(h.root, "calls")
	for _, program := range []string{"systemctl", "useradd", "getent", "chown"} {
		h.program(program, `echo "$(basename "$0") $*" >>`+h.calls+"\n"+`[ "$(basename "$0")" != getent ]`)
	}
	h.program("install", `for last; do :; done; echo "install $*" >>`+h.calls+`; mkdir -p "$last"`)
	if systemd {
		h.mkdir("run/systemd/system")
	}
	h.mkdir("etc/systemd/system/multi-user.target.wants")
	h.mkdir("var/lib")
	return h
}

func (h host) program(name, text string) {
	h.mkdir("bin")
	if err := os.WriteFile(filepath.Join(h.root, "bin", name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		h.t.Fatal(err)
	}
}

func (h host) mkdir(path string) {
	if err := os.MkdirAll(filepath.Join(h.root, path), 0o755); err != nil {
		h.t.Fatal(err)
	}
}

func (h host) write(path, text string) {
	h.mkdir(filepath.Dir(path))
	if err := os.WriteFile(filepath.Join(h.root, path), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func (h host) has(path string) bool {
	_, err := os.Lstat(filepath.Join(h.root, path))
	return err == nil
}

// run runs one of the packages' scripts and gives what it called and what it said.
func (h host) run(script string, args ...string) (calls, said string) {
	h.t.Helper()
	text := read(h.t, filepath.Join(source, "installers/linux", script))
	for _, folder := range []string{"/run/systemd", "/var/lib/", "/etc/"} {
		text = strings.ReplaceAll(text, folder, h.root+folder)
	}
	_ = os.Remove(h.calls)
	cmd := exec.Command("/bin/sh", append([]string{"-c", text, script}, args...)...)
	cmd.Env = []string{"PATH=" + filepath.Join(h.root, "bin") + ":/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Errorf("%s %v: %v\n%s", script, args, err, out)
	}
	made, _ := os.ReadFile(h.calls)
	return strings.ReplaceAll(string(made), h.root, ""), string(out)
}

func TestTheScriptsCallSystemdOnlyWhereItRunsAndOnlyWhenItIsTime(t *testing.T) {
	const reload, restart, stop = "systemctl daemon-reload\n", "systemctl try-restart grantwright-agent.service\n",
		"systemctl --no-reload disable --now grantwright-agent.service\n"
	for _, c := range []struct{ when, script, args, want string }{
		{"deb, first", "postinst", "configure ", reload},
		{"deb, upgrade", "postinst", "configure 1.2.2-1", reload + restart},
		{"rpm, first", "postinst", "1", reload},
		{"rpm, upgrade", "postinst", "2", reload + restart},
		{"deb, upgrade that failed", "postinst", "abort-upgrade 1.2.4-1", ""},
		{"deb, removal", "prerm", "remove", stop},
		{"deb, upgrade", "prerm", "upgrade 1.2.4-1", ""},
		{"rpm, removal", "prerm", "0", stop},
		{"rpm, upgrade", "prerm", "1", ""},
		{"deb, removal", "postrm", "remove", reload},
		{"deb, upgrade", "postrm", "upgrade 1.2.4-1", ""},
		{"deb, purge", "postrm", "purge", ""},
		{"rpm, removal", "postrm", "0", reload},
		{"rpm, upgrade", "postrm", "1", ""},
	} {
		for _, systemd := range []bool{true, false} {
			h, want := newHost(t, systemd), c.want
			if !systemd {
				want = ""
			}
			calls, _ := h.run(c.script, strings.Split(c.args, " ")...)
			var got string
			for line := range strings.Lines(calls) {
				if strings.HasPrefix(line, "systemctl ") {
					got += line
				}
			}
			if got != want {
				t.Errorf("%s: %s %s with systemd %v called\n%swant\n%s", c.when, c.script, c.args, systemd, got, want)
			}
		}
	}
}

func TestTheFirstInstallationMakesTheAccountAndAClosedDirectory(t *testing.T) {
	h := newHost(t, false)
	calls, said := h.run("postinst", "configure", "")
	contains(
		t,
		"what postinst called",
		calls,
		"useradd --system --user-group --no-create-home --home-dir /var/lib/grantwright-agent",
		"install -d -m 0700 -o grantwright-agent -g grantwright-agent /var/lib/grantwright-agent\n",
	)
	contains(t, "what postinst said", said, "sudo -u grantwright-agent grantwright-agent enroll --url", "--token-stdin",
		"systemctl enable --now grantwright-agent")
}

func TestAnAccountThatIsThereIsNotMadeAgain(t *testing.T) {
	h := newHost(t, false)
	h.program("getent", "exit 0")
	if calls, _ := h.run("postinst", "configure", ""); strings.Contains(calls, "useradd") {
		t.Errorf("postinst called %s", calls)
	}
}

func TestADirectoryThatWasThereIsGivenToTheAccountOnce(t *testing.T) {
	h := newHost(t, false)
	h.write("var/lib/grantwright-agent/agent.json", "{}")
	h.program("stat", "echo root")
	calls, said := h.run("postinst", "configure", "")
	contains(
		t,
		"what postinst called",
		calls,
		"chown -Rh grantwright-agent:grantwright-agent /var/lib/grantwright-agent\n",
	)
	if strings.Contains(said, "enrol") {
		t.Errorf("postinst tells an enrolled host to enrol: %s", said)
	}
	h.program("stat", "echo grantwright-agent")
	if calls, _ = h.run("postinst", "configure", "1.2.2-1"); strings.Contains(calls, "chown") {
		t.Errorf("postinst, in an upgrade, called %s", calls)
	}
}

func TestADirectoryThatSystemdMovedIsLeftToSystemd(t *testing.T) {
	h := newHost(t, false)
	h.mkdir("var/lib/private/grantwright-agent")
	if err := os.Symlink("private/grantwright-agent", filepath.Join(h.root, "var/lib/grantwright-agent")); err != nil {
		t.Fatal(err)
	}
	if calls, _ := h.run(
		"postinst",
		"configure",
		"",
	); strings.Contains(calls, "chown") ||
		strings.Contains(calls, "install") {
		t.Errorf("postinst called %s", calls)
	}
	h.run("postrm", "purge")
	if h.has("var/lib/grantwright-agent") || h.has("var/lib/private/grantwright-agent") {
		t.Error("a purge left the data")
	}
}

func TestAnUpgradeSucceedsThoughTheAgentDoesNotStartAgain(t *testing.T) {
	h := newHost(t, true)
	h.program("systemctl", `[ "$1" != try-restart ]`)
	if _, said := h.run(
		"postinst",
		"configure",
		"1.2.2-1",
	); !strings.Contains(
		said,
		"journalctl -u grantwright-agent.service",
	) {
		t.Errorf("postinst said %q", said)
	}
}

func TestAUnitThatHidesThePackagesIsPointedOut(t *testing.T) {
	h := newHost(t, false)
	h.write("etc/systemd/system/grantwright-agent.service", "[Unit]\n")
	if _, said := h.run("postinst", "configure", ""); !strings.Contains(said, "takes the place of the package's unit") {
		t.Errorf("postinst said %q", said)
	}
}

func TestRemovalKeepsTheDataAndPurgeRemovesIt(t *testing.T) {
	const data, link = "var/lib/grantwright-agent/agent.json",
		"etc/systemd/system/multi-user.target.wants/grantwright-agent.service"
	h := newHost(t, false)
	h.write(data, "{}")
	h.write(link, "")
	h.write("etc/grantwright-agent/mine", "")
	h.run("postrm", "remove")
	if !h.has(data) || h.has(link) {
		t.Error("a removal took the data, or left the service enabled")
	}
	h.run("postrm", "purge")
	if h.has("var/lib/grantwright-agent") || !h.has("etc/grantwright-agent/mine") {
		t.Error("a purge left the data, or took a file of the administrator")
	}
}

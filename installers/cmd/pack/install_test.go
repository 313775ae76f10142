package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const (
	settingsPath = "/etc/grantwright-agent/environment"
	unitPath     = "/usr/lib/systemd/system/grantwright-agent.service"
)

// A host's life with the deb, on this host. Only root can install; the other tests look at the packages for everybody.
func TestTheDebInstallsUpgradesAndGoesAsItShould(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("not root: the packages are inspected by the other tests, and not installed")
		return
	}
	cleanHost(t)
	newer := t.TempDir()
	if err := packInto(newer, "1.3.0", hostTarget(), io.Discard); err != nil {
		t.Fatal(err)
	}
	t.Run("an installation makes account and directory, and starts nothing", func(t *testing.T) {
		said := apt(t, "install", debOf(packages(t), testVersion))
		contains(t, "the installation", said, "sudo -u grantwright-agent grantwright-agent enroll --url")
		if account := command(
			t,
			"getent",
			"passwd",
			name,
		); !strings.Contains(account, ":/var/lib/grantwright-agent:") ||
			!strings.Contains(account, "nologin") {
			t.Errorf("the account: %s", account)
		}
		wantOwned(t, linuxData, 0o700, uid(t))
		wantOwned(t, settingsPath, 0o600, 0)
		wantStatus(t, 3, "not enrolled")
		needTool(t, "systemd-analyze", "systemd")
		if said := command(t, "systemd-analyze", "verify", "--man=no", unitPath); strings.Contains(said, name) {
			t.Errorf("systemd-analyze verify: %s", said)
		}
	})
	t.Run("an upgrade keeps settings and membership", func(t *testing.T) {
		write(t, settingsPath, "HTTPS_PROXY=http://proxy.example.org:3128\n")
		command(
			t,
			"setpriv",
			"--reuid="+name,
			"--regid="+name,
			"--clear-groups",
			"sh",
			"-c",
			"umask 077; echo {} >/var/lib/grantwright-agent/agent.json",
		)
		if said := apt(t, "install", debOf(newer, "1.3.0")); strings.Contains(said, "enroll") {
			t.Errorf("the upgrade tells an enrolled host to enrol: %s", said)
		}
		contains(t, "version", command(t, linuxProgram, "version"), "grantwright-agent 1.3.0 (")
		contains(t, "the settings", read(t, settingsPath), "proxy.example.org")
		wantOwned(t, linuxData+"/agent.json", 0o600, uid(t))
	})
	t.Run("a removal keeps settings and membership", func(t *testing.T) {
		apt(t, "remove", name)
		wantGone(t, linuxProgram, unitPath)
		wantOwned(t, linuxData+"/agent.json", 0o600, uid(t))
		contains(t, "the settings", read(t, settingsPath), "proxy.example.org")
	})
	t.Run("an installation takes over what root left", func(t *testing.T) {
		command(t, "chown", "-R", "root:root", linuxData)
		apt(t, "install", debOf(newer, "1.3.0"))
		wantOwned(t, linuxData, 0o700, uid(t))
		wantOwned(t, linuxData+"/agent.json", 0o600, uid(t))
	})
	t.Run("a purge leaves the account alone", func(t *testing.T) {
		apt(t, "purge", name)
		wantGone(t, linuxProgram, unitPath, linuxData, filepath.Dir(settingsPath))
		uid(t)
	})
}

// cleanHost refuses a host with an agent of somebody else's on it, and clears up afterwards.
func cleanHost(t *testing.T) {
	t.Helper()
	for _, path := range []string{linuxData, linuxProgram, filepath.Dir(settingsPath), unitPath} {
		if _, err := os.Lstat(path); err == nil {
			t.Fatalf(
				"%s is there: this test installs the agent on this host and purges it, and would take yours with it",
				path,
			)
		}
	}
	had := exec.Command("getent", "passwd", name).Run() == nil
	t.Cleanup(func() {
		if exec.Command("dpkg-query", "-W", name).Run() == nil { // a test broke off
			apt(t, "purge", name)
		}
		if !had {
			command(t, "userdel", name)
		}
	})
}

func apt(t *testing.T, args ...string) string {
	t.Helper()
	return command(
		t,
		"apt-get",
		append([]string{"-o", "DPkg::Lock::Timeout=600", "-y", "--no-install-recommends"}, args...)...)
}

func uid(t *testing.T) uint32 {
	t.Helper()
	var id uint32
	if _, err := fmt.Sscan(command(t, "id", "-u", name), &id); err != nil || id == 0 {
		t.Fatalf("the account has number %d: %v", id, err)
	}
	return id
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func wantOwned(t *testing.T, path string, mode os.FileMode, owner uint32) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Error(err)
		return
	}
	if got := info.Sys().(*syscall.Stat_t).Uid; got != owner || info.Mode().Perm() != mode {
		t.Errorf("%s belongs to %d with mode %04o; want %d and %04o", path, got, info.Mode().Perm(), owner, mode)
	}
}

func wantGone(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
}

// wantStatus asks the agent how it is, as its account.
func wantStatus(t *testing.T, code int, text string) {
	t.Helper()
	cmd := exec.Command("setpriv", "--reuid="+name, "--regid="+name, "--clear-groups", linuxProgram, "status")
	cmd.Dir = "/"
	out, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != code || !strings.Contains(string(out), text) {
		t.Errorf("status: exit code %d, %q; want %d and %q", got, out, code, text)
	}
}

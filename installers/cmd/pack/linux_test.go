package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unpacked is the content of the deb below "root", and its control files below "control".
func unpacked(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	deb := debOf(packages(t), testVersion)
	command(t, "dpkg-deb", "-x", deb, filepath.Join(folder, "root"))
	command(t, "dpkg-deb", "-e", deb, filepath.Join(folder, "control"))
	return folder
}

func TestTheDebSaysWhatItIs(t *testing.T) {
	fields := command(t, "dpkg-deb", "-f", debOf(packages(t), testVersion))
	contains(
		t,
		"control",
		fields,
		"Package: grantwright-agent\n",
		"Version: 1.2.3-1\n",
		"Section: admin\n",
		"Depends: passwd, ca-certificates\n",
		"Homepage: https://",
		"Maintainer: Grantwright",
	)
}

func TestTheDebHoldsTheProgramItsUnitAndItsSettings(t *testing.T) {
	var got []string
	for line := range strings.Lines(command(t, "dpkg-deb", "-c", debOf(packages(t), testVersion))) {
		if f := strings.Fields(line); !strings.HasPrefix(f[0], "d") || f[5] == "./etc/grantwright-agent/" {
			got = append(got, strings.Join([]string{f[0], f[1], f[3], f[5]}, " "))
		}
	}
	want := []string{
		"drwxr-xr-x root/root 2025-01-02 ./etc/grantwright-agent/",
		"-rw------- root/root 2025-01-02 ./etc/grantwright-agent/environment",
		"-rwxr-xr-x root/root 2025-01-02 ./usr/bin/grantwright-agent",
		"-rw-r--r-- root/root 2025-01-02 ./usr/lib/systemd/system/grantwright-agent.service",
		"-rw-r--r-- root/root 2025-01-02 ./usr/share/doc/grantwright-agent/copyright",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the deb holds\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTheDebCarriesOurScriptsAndKeepsTheAdministratorsSettings(t *testing.T) {
	control := filepath.Join(unpacked(t), "control")
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		if read(t, filepath.Join(control, script)) != read(t, filepath.Join(source, "installers/linux", script)) {
			t.Errorf("the deb's %s is another than ours", script)
		}
	}
	if got := read(
		t,
		filepath.Join(control, "conffiles"),
	); strings.TrimSpace(got) != "/etc/grantwright-agent/environment" {
		t.Errorf("conffiles: %q", got)
	}
}

func TestTheRpmIsTheSameAsTheDeb(t *testing.T) {
	needTool(t, "rpm", "rpm")
	rpm := rpmOf(packages(t), testVersion)
	contains(t, "rpm -K", command(t, "rpm", "-K", rpm), "digests OK")
	contains(
		t,
		"rpm -qpi",
		command(t, "rpm", "-qpi", rpm),
		"Version     : 1.2.3\n",
		"Release     : 1\n",
		"License     : Apache-2.0\n",
		"Build Host  : localhost\n",
		"Build Date  : Thu Jan  2 03:04:05 2025\n",
	)
	contains(t, "rpm -qpR", command(t, "rpm", "-qpR", rpm), "/usr/sbin/useradd\n", "ca-certificates\n")

	files := command(
		t,
		"rpm",
		"-qp",
		"--qf",
		`[%{FILEMODES:perms} %{FILEUSERNAME}/%{FILEGROUPNAME} %{FILEFLAGS:fflags} %{FILENAMES}\n]`,
		rpm,
	)
	want := []string{
		"drwxr-xr-x root/root  /etc/grantwright-agent",
		"-rw------- root/root cn /etc/grantwright-agent/environment",
		"-rwxr-xr-x root/root  /usr/bin/grantwright-agent",
		"-rw-r--r-- root/root  /usr/lib/systemd/system/grantwright-agent.service",
		"-rw-r--r-- root/root  /usr/share/doc/grantwright-agent/copyright",
	}
	if got := strings.TrimSpace(files); got != strings.Join(want, "\n") {
		t.Errorf("the rpm holds\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	for tag, script := range map[string]string{"POSTIN": "postinst", "PREUN": "prerm", "POSTUN": "postrm"} {
		got := command(t, "rpm", "-qp", "--qf", "%{"+tag+"}", rpm)
		if strings.TrimSpace(got) != strings.TrimSpace(read(t, filepath.Join(source, "installers/linux", script))) {
			t.Errorf("the rpm's %s is not our %s:\n%s", tag, script, got)
		}
	}
}

func TestTheRpmsProgramAndUnitAreTheDebs(t *testing.T) {
	needTool(t, "rpm2cpio", "rpm2cpio")
	needTool(t, "cpio", "cpio")
	root, rpm := filepath.Join(unpacked(t), "root"), rpmOf(packages(t), testVersion)
	for _, path := range []string{linuxProgram, "/usr/lib/systemd/system/grantwright-agent.service",
		"/etc/grantwright-agent/environment"} {
		// To standard output: the names in an rpm are absolute, and cpio would write over those of this host.
		got := command(t, "sh", "-c", `rpm2cpio "$1" | cpio --extract --to-stdout --quiet "$2"`, "sh", rpm, path)
		if got == "" || got != read(t, filepath.Join(root, path)) {
			t.Errorf("%s of the rpm is another than the deb's", path)
		}
	}
}

// settings are a unit's lines, each with how often it stands there.
func settings(unit string) map[string]int {
	lines := map[string]int{}
	for line := range strings.Lines(unit) {
		if line = strings.TrimSpace(line); line != "" {
			lines[line]++
		}
	}
	return lines
}

func TestThePackagedUnitIsTheAgentsOwnButForTheAccount(t *testing.T) {
	root := filepath.Join(unpacked(t), "root")
	packaged := settings(read(t, filepath.Join(root, "usr/lib/systemd/system/grantwright-agent.service")))
	own := settings(
		command(
			t,
			filepath.Join(root, linuxProgram),
			"service",
			"unit",
			"--executable",
			linuxProgram,
			"--data",
			linuxData,
		),
	)

	if len(own) < 30 || own["NoNewPrivileges=yes"] != 1 || own["StateDirectory=grantwright-agent"] != 1 {
		t.Fatalf("the agent prints no hardened unit: %v", slices.Sorted(maps.Keys(own)))
	}
	delete(own, "DynamicUser=yes")
	own["User=grantwright-agent"], own["Group=grantwright-agent"] = 1, 1
	if !maps.Equal(packaged, own) {
		t.Errorf(
			"the package's unit\n%s\nwant\n%s",
			strings.Join(slices.Sorted(maps.Keys(packaged)), "\n"),
			strings.Join(slices.Sorted(maps.Keys(own)), "\n"),
		)
	}
	for setting := range packaged {
		if path, found := strings.CutPrefix(setting, "EnvironmentFile=-"); found {
			if _, err := os.Stat(filepath.Join(root, path)); err != nil {
				t.Errorf("the unit reads %s, which is not in the package: %v", path, err)
			}
		}
	}
}

func TestAUnitWithoutAPlaceForTheAccountIsRefused(t *testing.T) {
	for _, unit := range []string{"", "[Service]\nUser=somebody\n",
		"[Service]\nDynamicUser=yes\nDynamicUser=yes\n\nDynamicUser=yes\n"} {
		if got, err := packagedUnit(unit); err == nil {
			t.Errorf("packagedUnit(%q) = %q", unit, got)
		}
	}
}

func TestSystemdTakesTheUnitAndFindsItHardened(t *testing.T) {
	needTool(t, "systemd-analyze", "systemd")
	root := filepath.Join(unpacked(t), "root")
	unit := filepath.Join(root, "usr/lib/systemd/system/grantwright-agent.service")
	// The program is not installed under the name that the unit gives it.
	text := strings.ReplaceAll(read(t, unit), linuxProgram, filepath.Join(root, linuxProgram))
	if err := os.WriteFile(unit, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if said := command(t, "systemd-analyze", "verify", "--man=no", unit); strings.Contains(said, name) {
		t.Errorf("systemd-analyze verify: %s", said)
	}
	// 2.0 of 10, where 10 is a service without any hardening.
	out, err := exec.Command("systemd-analyze", "security", "--offline=true", "--threshold=20", unit).CombinedOutput()
	if err != nil {
		t.Errorf("systemd-analyze security: %v\n%s", err, out)
	}
}

func TestTheProgramPrintsTheVersionItWasPackedWith(t *testing.T) {
	contains(
		t,
		"version",
		command(t, filepath.Join(unpacked(t), "root", linuxProgram), "version"),
		"grantwright-agent 1.2.3 (",
	)
}

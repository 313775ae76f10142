//go:build unix

package service

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheUnitIsHardenedAndRestartsWhatARestartCanMend(t *testing.T) {
	unit := Unit(UnitOptions{Executable: "/usr/bin/grantwright-agent", DataDir: StateDir})
	for _, line := range []string{
		"Type=notify", "WatchdogSec=60", "Restart=always", "RestartSec=5", "RestartPreventExitStatus=3 4 64",
		"DynamicUser=yes",
		"StateDirectory=grantwright-agent", "StateDirectoryMode=0700", "NoNewPrivileges=yes", "ProtectSystem=strict",
		"ProtectHome=yes",
		"ConditionPathExists=/var/lib/grantwright-agent/agent.json",
		"EnvironmentFile=-/etc/grantwright-agent/environment",
	} {
		if !strings.Contains(unit, "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, unit)
		}
	}
	for code, final := range map[int]bool{0: true, 1: false, 2: false, 3: true, 4: true, 5: false, 6: false, 64: true} {
		if Final(code) != final {
			t.Errorf("Final(%d) = %v", code, !final)
		}
	}
}

func TestAnotherDataDirectoryKeepsItsOwner(t *testing.T) {
	unit := Unit(UnitOptions{Executable: "/home/me/my bin/agent", DataDir: "/srv/100% ours/$x", User: "1000"})
	for _, line := range []string{
		`ExecStart="/home/me/my bin/agent" run --service --data "/srv/100%% ours/$$x"`,
		`ReadWritePaths="/srv/100%% ours/$$x"`, "User=1000", "ProtectHome=read-only",
	} {
		if !strings.Contains(unit, "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, unit)
		}
	}
	if strings.Contains(unit, "DynamicUser") {
		t.Error("a dynamic user could not read the directory")
	}
}

func TestSystemdIsToldOfTheBeginningAndTheEndAndOfLife(t *testing.T) {
	address := filepath.Join(t.TempDir(), "notify")
	listener, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: address, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	t.Setenv("NOTIFY_SOCKET", address)
	t.Setenv("WATCHDOG_USEC", "30000")
	beats := make(chan struct{}, 99)
	code := foreground(Work{
		Alive: func() { beats <- struct{}{} },
		Run: func(context.Context) int {
			for range 3 {
				<-beats
			}
			SetStatusText("online")
			return 7
		},
	})
	if code != 7 {
		t.Errorf("exit code %d, want the work's", code)
	}
	told := map[string]int{}
	buf := make([]byte, 256)
	for told["STOPPING=1"] == 0 {
		n, err := listener.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		told[string(buf[:n])]++
	}
	if told["READY=1"] != 1 || told["WATCHDOG=1"] < 2 || told["STATUS=online"] != 1 {
		t.Errorf("told %v", told)
	}
}

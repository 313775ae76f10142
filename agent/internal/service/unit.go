// Package service runs the agent as a service of its host: under systemd on Linux, launchd on macOS, and the Service
// Control Manager on Windows.
package service

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Name is the service's name on every system.
const Name = "grantwright-agent"

// StateDir is the data directory on Linux. systemd makes it for the service and gives it to its user.
const StateDir = "/var/lib/" + Name

// UnitOptions are what differs between units.
type UnitOptions struct {
	Executable string // absolute path
	DataDir    string // absolute path
	User       string // for a data directory other than StateDir: whom to run as; empty: root, without capabilities
}

// Unit is the text of the systemd unit. It goes with every package, so that a service is hardened the same however it
// came to the host.
func Unit(o UnitOptions) string {
	return fmt.Sprintf(unit, quote(filepath.Join(o.DataDir, "agent.json")), quote(o.Executable), quote(o.DataDir),
		NotEnrolled, Revoked, Usage, account(o), protectHome(o))
}

// The exit codes after which nothing is restarted are those of Final.
const unit = `[Unit]
Description=Grantwright agent
Documentation=https://github.com/grantwright/grantwright/blob/main/docs/administrators.md
Wants=network-online.target
After=network-online.target
ConditionPathExists=%s
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=main
ExecStart=%s run --service --data %s
WatchdogSec=60
Restart=always
RestartSec=5
RestartPreventExitStatus=%d %d %d
TimeoutStopSec=30
# HTTPS_PROXY and NO_PROXY may be set here.
EnvironmentFile=-/etc/grantwright-agent/environment
%s
UMask=0077
LimitNOFILE=4096
MemoryMax=256M
TasksMax=256

NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=%s
PrivateTmp=yes
PrivateDevices=yes
ProtectProc=invisible
ProcSubset=pid
ProtectClock=yes
ProtectHostname=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RemoveIPC=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`

// account says whom the service runs as and where it may write.
func account(o UnitOptions) string {
	if o.DataDir == StateDir {
		return "DynamicUser=yes\nStateDirectory=" + Name + "\nStateDirectoryMode=0700"
	}
	lines := "ReadWritePaths=" + quote(o.DataDir)
	if o.User != "" {
		lines = "User=" + o.User + "\n" + lines
	}
	return lines
}

// protectHome hides the homes, unless the agent lives in one.
func protectHome(o UnitOptions) string {
	for _, home := range []string{"/home/", "/root/", "/run/user/"} {
		if strings.HasPrefix(o.Executable, home) || strings.HasPrefix(o.DataDir, home) {
			return "read-only"
		}
	}
	return "yes"
}

// quote writes a path so that systemd takes it as one word and expands nothing in it (systemd.syntax(7)).
func quote(path string) string {
	if !strings.ContainsAny(path, " \t\"'\\%$;") {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`, `$`, `$$`).Replace(path) + `"`
}

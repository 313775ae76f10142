package embedded

import (
	"os"
	"strings"
)

// packages names the command that installs the server, by the ID or ID_LIKE of os-release(5).
var packages = map[string]string{
	"debian":   "apt-get install -y postgresql",
	"ubuntu":   "apt-get install -y postgresql",
	"fedora":   "dnf install -y postgresql-server",
	"rhel":     "dnf module install -y postgresql:16/server",
	"centos":   "dnf module install -y postgresql:16/server",
	"amzn":     "dnf install -y postgresql16-server",
	"alpine":   "apk add postgresql",
	"arch":     "pacman -S --noconfirm postgresql",
	"suse":     "zypper install -y postgresql-server",
	"opensuse": "zypper install -y postgresql-server",
}

// PendingHint is one line that says how to install PostgreSQL on a system of the given kind (a GOOS value).
func PendingHint(goos string) string {
	const otherwise = "or set DATABASE_URL to a PostgreSQL 15 or later of your own"
	command := "the PostgreSQL server, version 15 or later"
	switch goos {
	case "linux":
		text, _ := os.ReadFile("/etc/os-release")
		if known := packageFor(string(text)); known != "" {
			command = "it with `" + known + "`"
		}
	case "darwin":
		command = "it with `brew install postgresql@17`"
	case "windows":
		command = "it with `winget install PostgreSQL.PostgreSQL.17`"
	}
	return "install " + command + ", " + otherwise
}

// packageFor is the install command for the distribution that an os-release text names, or "".
func packageFor(osRelease string) string {
	fields := map[string]string{}
	for line := range strings.Lines(osRelease) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			fields[key] = strings.Trim(value, `"'`)
		}
	}
	for _, id := range append([]string{fields["ID"]}, strings.Fields(fields["ID_LIKE"])...) {
		if command, ok := packages[id]; ok {
			return command
		}
	}
	return ""
}

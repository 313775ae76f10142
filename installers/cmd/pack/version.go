package main

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

var (
	release = regexp.MustCompile(`^v?([0-9]+\.[0-9]+\.[0-9]+)(?:-([0-9A-Za-z.]+))?(?:-([0-9]+)-g([0-9a-f]{4,40}))?$`)
	hash    = regexp.MustCompile(`^[0-9a-f]{4,40}$`)
)

// packageVersion is a version, as `git describe --tags --always --dirty` gives it, in the form that dpkg and rpm take
// and sort alike: "~" sorts before what it follows, "+" after it, and "-" would begin the packaging's own number.
//
//	0.1.0                 0.1.0
//	v0.2.0-rc.1           0.2.0~rc.1
//	0.1.0-5-gabc1234      0.1.0+5.gabc1234
//	abc1234 (no tag yet)  0.0.0~git20250102030405.abc1234, dated by the commit so that later ones sort later
//	dev                   0.0.0~dev
//	any of them, -dirty   a suffix dirty
func packageVersion(described string, date time.Time) (string, error) {
	clean, dirty := strings.CutSuffix(described, "-dirty")
	var version string
	switch parts := release.FindStringSubmatch(clean); {
	case parts != nil:
		version = parts[1]
		if parts[2] != "" {
			version += "~" + parts[2]
		}
		if parts[3] != "" {
			version += "+" + parts[3] + ".g" + parts[4]
		}
	case clean == "dev":
		version = "0.0.0~dev"
	case hash.MatchString(clean):
		version = "0.0.0~git" + date.Format("20060102150405") + "." + clean
	default:
		return "", fmt.Errorf(
			"--version %q is none; it looks like 1.2.3, 1.2.3-rc.1, 1.2.3-5-gabc1234, abc1234 or dev",
			described,
		)
	}
	switch {
	case !dirty:
		return version, nil
	case strings.ContainsAny(version, "+~"):
		return version + ".dirty", nil
	}
	return version + "+dirty", nil
}

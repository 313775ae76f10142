package main

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

var commitDate = time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)

func TestWhatGitDescribesBecomesAVersionThatPackagesTake(t *testing.T) {
	for described, want := range map[string]string{
		"0.1.0":                       "0.1.0",
		"v0.1.0":                      "0.1.0",
		"0.1.0-dirty":                 "0.1.0+dirty",
		"0.1.0-5-gabc1234":            "0.1.0+5.gabc1234",
		"v10.20.30-5-gabc1234-dirty":  "10.20.30+5.gabc1234.dirty",
		"0.2.0-rc.1":                  "0.2.0~rc.1",
		"0.2.0-rc.1-3-gabc1234":       "0.2.0~rc.1+3.gabc1234",
		"0.2.0-rc.1-3-gabc1234-dirty": "0.2.0~rc.1+3.gabc1234.dirty",
		"abc1234":                     "0.0.0~git20250102030405.abc1234",
		"1234567-dirty":               "0.0.0~git20250102030405.1234567.dirty",
		"dev":                         "0.0.0~dev",
	} {
		got, err := packageVersion(described, commitDate)
		if err != nil || got != want {
			t.Errorf("packageVersion(%q) = %q, %v; want %q", described, got, err, want)
		}
	}
}

func TestAVersionThatIsNoneIsRefused(t *testing.T) {
	for _, described := range []string{"", "1.2", "1.2.3 4", "1.2.3-", "1.2.3-rc_1", "latest", "../1.2.3", "1.2.3;rm",
		"-dirty"} {
		got, err := packageVersion(described, commitDate)
		if err == nil || !strings.Contains(err.Error(), "it looks like 1.2.3") {
			t.Errorf("packageVersion(%q) = %q, %v; want an error that shows a version", described, got, err)
		}
	}
}

func TestLaterVersionsSortLaterForDpkgAndRpm(t *testing.T) {
	needTool(t, "rpm", "rpm")
	later := commitDate.Add(time.Hour)
	order := []struct {
		described string
		date      time.Time
	}{
		{"fff1234", commitDate},
		{"abc1234", later},
		{"0.1.0-rc.1", commitDate},
		{"0.1.0-rc.1-2-gabc1234", commitDate},
		{"0.1.0-rc.2", commitDate},
		{"0.1.0", commitDate},
		{"0.1.0-5-gfff1234", commitDate},
		{"0.1.0-6-gabc1234", commitDate},
		{"0.1.0-10-gabc1234", commitDate},
		{"0.1.1", commitDate},
	}
	for i := 1; i < len(order); i++ {
		before, _ := packageVersion(order[i-1].described, order[i-1].date)
		after, _ := packageVersion(order[i].described, order[i].date)
		if err := exec.Command("dpkg", "--compare-versions", before+"-1", "lt", after+"-1").Run(); err != nil {
			t.Errorf("dpkg does not sort %s before %s: %v", before, after, err)
		}
		answer, err := exec.Command("rpm", "--eval", `%{lua: print(rpm.vercmp("`+before+`", "`+after+`"))}`).Output()
		if err != nil || strings.TrimSpace(string(answer)) != "-1" {
			t.Errorf("rpm does not sort %s before %s: %q, %v", before, after, answer, err)
		}
	}
}

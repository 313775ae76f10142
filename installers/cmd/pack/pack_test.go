package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

const (
	source      = "../../.."
	testVersion = "1.2.3"
	testDate    = "1735787045" // commitDate
)

// scratch holds what several tests use: nfpm, and packages that are built once.
var scratch string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if scratch, err = os.MkdirTemp("", "pack-test-"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(scratch)
		if err := os.Setenv("SOURCE_DATE_EPOCH", testDate); err != nil {
			panic(err)
		}
		return m.Run()
	}())
}

// nfpmProgram builds the nfpm that the Makefile builds.
var nfpmProgram = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "nfpm")
	_, err := output(context.Background(), source+"/.ci/tools", []string{"GOWORK=off", "CGO_ENABLED=0"},
		"go", "build", "-o", path, "github.com/goreleaser/nfpm/v2/cmd/nfpm")
	return path, err
})

// built packs once for this host and for Windows.
var built = sync.OnceValues(func() (string, error) {
	folder := filepath.Join(scratch, "built")
	return folder, packInto(folder, testVersion, hostTarget()+",windows/amd64", io.Discard)
})

func hostTarget() string { return "linux/" + runtime.GOARCH }

func packInto(folder, version, targets string, out io.Writer) error {
	nfpm, err := nfpmProgram()
	if err != nil {
		return err
	}
	return run(
		context.Background(),
		[]string{"--version", version, "--out", folder, "--nfpm", nfpm, "--source", source, "--targets", targets},
		out,
		out,
	)
}

func packages(t *testing.T) string {
	t.Helper()
	folder, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func debOf(folder, version string) string {
	return filepath.Join(folder, fmt.Sprintf("%s_%s-1_%s.deb", name, version, runtime.GOARCH))
}

func rpmOf(folder, version string) string {
	return filepath.Join(folder, fmt.Sprintf("%s-%s-1.%s.rpm", name, version, rpmArch[runtime.GOARCH]))
}

func zipOf(folder, version string) string {
	return filepath.Join(folder, fmt.Sprintf("%s_%s_windows_amd64.zip", name, version))
}

// needTool installs a tool of the distribution where it is missing and we may.
func needTool(t *testing.T, tool, aptPackage string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err == nil {
		return
	}
	if os.Geteuid() != 0 {
		t.Fatalf("this test needs %s: apt-get install %s", tool, aptPackage)
	}
	command(t, "apt-get", "-o", "DPkg::Lock::Timeout=600", "update", "-qq")
	command(
		t,
		"apt-get",
		"-o",
		"DPkg::Lock::Timeout=600",
		"install",
		"-y",
		"-qq",
		"--no-install-recommends",
		aptPackage,
	)
}

// command runs a program that must succeed, and gives what it printed.
func command(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C", "TZ=UTC")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return string(out)
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func contains(t *testing.T, what, text string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Errorf("%s lacks %q:\n%s", what, w, text)
		}
	}
}

func TestTwoPackingsOfOneSourceAreTheSameToTheByte(t *testing.T) {
	first, second := packages(t), t.TempDir()
	t.Setenv("TZ", "Asia/Kathmandu")
	t.Setenv("LC_ALL", "C")
	var listed bytes.Buffer
	if err := packInto(second, testVersion, hostTarget()+",windows/amd64", &listed); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{debOf("", testVersion), rpmOf("", testVersion), zipOf("", testVersion), sumsFile} {
		if read(t, filepath.Join(first, path)) != read(t, filepath.Join(second, path)) {
			t.Errorf("%s differs between two packings", path)
		}
		contains(t, "the list of what was made", listed.String(), filepath.Join(second, path)+"\n")
	}
	if entries, err := os.ReadDir(second); err != nil || len(entries) != 4 {
		t.Errorf("packing left %v, %v; want three packages and their sums alone", entries, err)
	}
}

func TestTheSumsAreThoseThatSha256sumChecks(t *testing.T) {
	cmd := exec.Command("sha256sum", "--check", "--strict", sumsFile)
	cmd.Dir = packages(t)
	if out, err := cmd.CombinedOutput(); err != nil || strings.Count(string(out), ": OK") != 3 {
		t.Errorf("sha256sum --check: %v\n%s", err, out)
	}
}

func TestWhatIsWrongIsSaidBeforeAnythingIsBuilt(t *testing.T) {
	nfpm, err := nfpmProgram()
	if err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--version", "latest", "--nfpm", nfpm, "--source", source}, `--version "latest" is none`},
		{[]string{"--version", "1.2.3", "--nfpm", filepath.Join(empty, "nfpm"), "--source", source},
			"`make bin/nfpm` builds it"},
		{[]string{"--version", "1.2.3", "--nfpm", nfpm, "--source", empty}, "is not the repository"},
		{[]string{"--version", "1.2.3", "--nfpm", nfpm, "--source", source, "--targets", "plan9/amd64"},
			`"plan9/amd64" is none of`},
		{[]string{"1.2.3"}, `unknown argument "1.2.3"`},
	} {
		out := filepath.Join(t.TempDir(), "dist")
		err := run(t.Context(), append([]string{"--out", out}, c.args...), io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("pack %v: %v; want %q", c.args, err, c.want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("pack %v made %s", c.args, out)
		}
	}
}

func TestAFailedPackingLeavesTheEarlierPackages(t *testing.T) {
	out := t.TempDir()
	if err := os.WriteFile(filepath.Join(out, sumsFile), []byte("earlier\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := run(
		t.Context(),
		[]string{
			"--version",
			testVersion,
			"--out",
			out,
			"--nfpm",
			"/bin/false",
			"--source",
			source,
			"--targets",
			hostTarget(),
		},
		io.Discard,
		io.Discard,
	)
	if err == nil || !strings.Contains(err.Error(), hostTarget()+": false package") {
		t.Errorf("packing with an nfpm that fails: %v", err)
	}
	if entries, _ := os.ReadDir(out); len(entries) != 1 || read(t, filepath.Join(out, sumsFile)) != "earlier\n" {
		t.Errorf("a failed packing left %v", entries)
	}
}

func TestTheDateIsThatOfTheLastCommit(t *testing.T) {
	repository := t.TempDir()
	t.Setenv("SOURCE_DATE_EPOCH", "")
	t.Setenv("GIT_COMMITTER_DATE", testDate+" +0545")
	if _, err := sourceDate(
		t.Context(),
		repository,
	); err == nil ||
		!strings.Contains(err.Error(), "set SOURCE_DATE_EPOCH") {
		t.Errorf("without git: %v", err)
	}
	command(t, "git", "init", "-q", repository)
	command(
		t,
		"git",
		"-C",
		repository,
		"-c",
		"user.name=a",
		"-c",
		"user.email=a@example.org",
		"commit",
		"-q",
		"--allow-empty",
		"-m",
		"one",
	)
	if got, err := sourceDate(t.Context(), repository); err != nil || !got.Equal(commitDate) {
		t.Errorf("sourceDate = %v, %v; want %v", got, err, commitDate)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if _, err := sourceDate(t.Context(), repository); err == nil {
		t.Error("a date that is none was taken")
	}
}

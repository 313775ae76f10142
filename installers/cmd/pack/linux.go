package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Where the package puts things, and whom the service runs as.
const (
	linuxProgram = "/usr/bin/" + name
	linuxData    = "/var/lib/" + name
	linuxAccount = name
)

// rpmArch is rpm's name of an architecture.
var rpmArch = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}

// packLinux makes the deb and the rpm of one architecture.
func (j *job) packLinux(ctx context.Context, t target, program string) error {
	stage := filepath.Join(j.work, "stage-"+t.arch)
	if err := j.stageLinux(ctx, t, program, stage); err != nil {
		return err
	}
	environment := []string{
		"VERSION=" + j.version,
		"ARCH=" + t.arch,
		"SOURCE_DATE_EPOCH=" + strconv.FormatInt(j.date.Unix(), 10),
	}
	for packager, file := range map[string]string{
		"deb": fmt.Sprintf("%s_%s-1_%s.deb", name, j.version, t.arch),
		"rpm": fmt.Sprintf("%s-%s-1.%s.rpm", name, j.version, rpmArch[t.arch]),
	} {
		_, err := output(ctx, stage, environment, j.nfpm, "package", "--config", "nfpm.yaml",
			"--packager", packager, "--target", filepath.Join(j.finished, file))
		if err != nil {
			return err
		}
	}
	return nil
}

// stageLinux lays out what nfpm.yaml names.
func (j *job) stageLinux(ctx context.Context, t target, program, stage string) error {
	if err := os.CopyFS(stage, os.DirFS(filepath.Join(j.source, "installers", "linux"))); err != nil {
		return err
	}
	runnable, err := j.hostProgram(ctx, t, program)
	if err != nil {
		return err
	}
	unit, err := output(ctx, stage, nil, runnable, "service", "unit", "--executable", linuxProgram, "--data", linuxData)
	if err != nil {
		return err
	}
	if unit, err = packagedUnit(unit); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(stage, name+".service"), []byte(unit), 0o644); err != nil {
		return err
	}
	if err := os.Rename(program, filepath.Join(stage, name)); err != nil {
		return err
	}
	license, err := os.ReadFile(filepath.Join(j.source, "LICENSE"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(stage, "LICENSE"), license, 0o644); err != nil {
		return err
	}
	return j.dateAll(stage)
}

// packagedUnit is the agent's own unit with the package's account in place of one that systemd makes up at every start.
// An administrator enrols the host as that account before the first start, and looks at its status as that account.
// DynamicUser brings nothing else that the unit does not also say.
func packagedUnit(unit string) (string, error) {
	const dynamic = "\nDynamicUser=yes\n"
	if strings.Count(unit, dynamic) != 1 {
		return "", fmt.Errorf(
			"the unit that %s prints has no single line DynamicUser=yes to put the account in place of:\n%s",
			name,
			unit,
		)
	}
	return strings.Replace(unit, dynamic, "\nUser="+linuxAccount+"\nGroup="+linuxAccount+"\n", 1), nil
}

// dateAll gives every file in folder the date of the source.
func (j *job) dateAll(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Chtimes(filepath.Join(folder, e.Name()), j.date, j.date); err != nil {
			return err
		}
	}
	return nil
}

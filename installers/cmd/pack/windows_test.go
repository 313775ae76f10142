package main

import (
	"archive/zip"
	"bytes"
	"debug/pe"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func unzipped(t *testing.T) map[string][]byte {
	t.Helper()
	r, err := zip.OpenReader(zipOf(packages(t), testVersion))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files := map[string][]byte{}
	for _, entry := range r.File {
		if !entry.Modified.Equal(commitDate) {
			t.Errorf("%s is dated %v", entry.Name, entry.Modified)
		}
		f, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[entry.Name], err = io.ReadAll(f); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestTheZipHoldsTheProgramAndItsScripts(t *testing.T) {
	files := unzipped(t)
	var names []string
	for file := range files {
		names = append(names, file)
	}
	slices.Sort(names)
	if want := []string{
		"LICENSE",
		"README.txt",
		"grantwright-agent.exe",
		"install.ps1",
		"uninstall.ps1",
	}; !slices.Equal(
		names,
		want,
	) {
		t.Errorf("the zip holds %v; want %v", names, want)
	}
	program, err := pe.NewFile(bytes.NewReader(files["grantwright-agent.exe"]))
	if err != nil || program.Machine != pe.IMAGE_FILE_MACHINE_AMD64 {
		t.Errorf("the program is none for Windows on amd64: %v", err)
	}
	if !bytes.Contains(files["grantwright-agent.exe"], []byte(testVersion)) {
		t.Error("the program does not know its version")
	}
}

// Windows PowerShell 5.1 reads a file without a byte order mark in the code page of the host.
func TestTheTextsAreOurFilesInASCIIWithWindowsLineEnds(t *testing.T) {
	files := unzipped(t)
	for file, from := range map[string]string{
		"install.ps1": "installers/windows", "uninstall.ps1": "installers/windows", "README.txt": "installers/windows",
		"LICENSE": ".",
	} {
		text := string(files[file])
		if want := read(t, filepath.Join(source, from, file)); strings.ReplaceAll(text, "\r\n", "\n") != want {
			t.Errorf("%s in the zip is not ours", file)
		}
		if strings.Count(text, "\n") != strings.Count(text, "\r\n") {
			t.Errorf("%s has line ends that are not Windows'", file)
		}
		if i := strings.IndexFunc(text, func(r rune) bool { return r > 126 }); i >= 0 {
			t.Errorf("%s is not ASCII at byte %d", file, i)
		}
	}
}

// The scripts cannot run here. This holds them to the program: what they call it with must be what it knows.
func TestTheScriptsCallTheProgramAsItsHelpSays(t *testing.T) {
	program := filepath.Join(unpacked(t), "root", linuxProgram)
	help := command(t, program, "help")
	contains(
		t,
		"help",
		help,
		"enroll --url",
		"--token-stdin",
		"--token-file",
		"--data",
		"--ca-file",
		"--proxy",
		"service install|uninstall|start",
	)
	install, uninstall := read(
		t,
		filepath.Join(source, "installers/windows/install.ps1"),
	), read(
		t,
		filepath.Join(source, "installers/windows/uninstall.ps1"),
	)
	contains(
		t,
		"install.ps1",
		install,
		`'enroll', '--url', $Url, '--data', $data`,
		"--token-file",
		"--token-stdin",
		"'--ca-file'",
		"'--proxy'",
		"service install --data $data",
		"service start --data $data",
		`Join-Path $data 'agent.json'`,
	)
	contains(t, "uninstall.ps1", uninstall, "service uninstall --data $data")
	if _, parameters, _ := strings.Cut(
		install,
		"param(",
	); strings.Contains(
		strings.ToLower(parameters[:strings.Index(parameters, ")")]),
		"$token\n",
	) {
		t.Error("install.ps1 takes the token as an argument")
	}
}

package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// packWindows makes the zip of one architecture.
func (j *job) packWindows(t target, program string) (err error) {
	f, err := os.Create(filepath.Join(j.finished, fmt.Sprintf("%s_%s_windows_%s.zip", name, j.version, t.arch)))
	if err != nil {
		return err
	}
	defer func() {
		if closing := f.Close(); err == nil {
			err = closing
		}
	}()
	w := zip.NewWriter(f)
	scripts := filepath.Join(j.source, "installers", "windows")
	for _, file := range []struct {
		path string
		text bool
	}{
		{program, false},
		{filepath.Join(scripts, "install.ps1"), true},
		{filepath.Join(scripts, "uninstall.ps1"), true},
		{filepath.Join(scripts, "README.txt"), true},
		{filepath.Join(j.source, "LICENSE"), true},
	} {
		if err := j.addToZip(w, file.path, file.text); err != nil {
			return err
		}
	}
	return w.Close()
}

// addToZip adds a file. A text gets Windows' line ends, for the editors there that know no others.
func (j *job) addToZip(w *zip.Writer, path string, text bool) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if text {
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
		data = bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))
	}
	entry, err := w.CreateHeader(&zip.FileHeader{Name: filepath.Base(path), Method: zip.Deflate, Modified: j.date})
	if err != nil {
		return err
	}
	_, err = entry.Write(data)
	return err
}

package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const sumsFile = "SHA256SUMS"

// writeSums writes SHA256SUMS, in the form of sha256sum(1), over all files in folder. It gives the names of all, the
// sums last.
func writeSums(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	var list bytes.Buffer
	for _, e := range entries {
		sum, err := sumOf(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&list, "%x  %s\n", sum, e.Name())
		names = append(names, e.Name())
	}
	if err := os.WriteFile(filepath.Join(folder, sumsFile), list.Bytes(), 0o644); err != nil {
		return nil, err
	}
	return append(names, sumsFile), nil
}

func sumOf(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}

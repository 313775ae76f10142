package archive

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
)

// Open reads a pack from a folder or an archive of the machine. An error is one of the machine's; what is wrong with
// the pack is a problem.
func Open(name string) (Files, []diagnostic.Problem, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, nil, err
	case info.IsDir():
		return Dir(os.DirFS(name))
	case info.Size() > MaxPacked:
		_, problems := Unpack(make([]byte, MaxPacked+1))
		return nil, problems, nil
	}
	packed, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	files, problems := Unpack(packed)
	return files, problems, nil
}

// Dir reads a pack's folder. What begins with a dot is not part of it.
func Dir(dir fs.FS) (Files, []diagnostic.Problem, error) {
	files, seen, total, entries := Files{}, newNames(), int64(0), 0
	var problems []diagnostic.Problem
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		name = filepath.ToSlash(name)
		if strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if entries++; entries > MaxEntries {
			problems = append(
				problems,
				diagnostic.InFile(
					"",
					0,
					"too_many_entries",
					"put several objects of a kind into one file",
					"the folder has more than %d entries",
					MaxEntries,
				),
			)
			return fs.SkipAll
		}
		if d.IsDir() {
			return nil
		}
		if !d.Type().IsRegular() {
			problems = append(
				problems,
				diagnostic.InFile(
					name,
					0,
					"not_a_file",
					"put the file itself there",
					"a pack holds files and folders: no links, no devices",
				),
			)
			return nil
		}
		if code, why := seen.add(name); code != "" {
			problems = append(problems, diagnostic.InFile(diagnostic.Printable(name), 0, code, "rename it", "%s", why))
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if total += info.Size(); total > MaxUnpacked {
			problems = append(
				problems,
				diagnostic.InFile(
					"",
					0,
					"archive_too_large",
					"remove files that are not part of the pack",
					"the folder holds more than %d bytes",
					MaxUnpacked,
				),
			)
			return fs.SkipAll
		}
		files[name], err = fs.ReadFile(dir, name)
		return err
	})
	return files, problems, err
}

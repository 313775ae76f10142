package format

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const mendArchive = "build it with: grantwright pack build"

// Unpack reads an archive (tar, packed with gzip) within the limits. It writes nothing anywhere. Files is nil when
// there is a problem.
func Unpack(packed []byte) (Files, []Problem) {
	refuse := func(name, code, mend, message string, args ...any) (Files, []Problem) {
		return nil, []Problem{inFile(name, 0, code, mend, message, args...)}
	}
	if len(packed) > MaxPacked {
		return refuse(
			"",
			"archive_too_large",
			"remove files that are not part of the pack",
			"the archive has %d bytes; %d are allowed",
			len(packed),
			MaxPacked,
		)
	}
	source := bufio.NewReader(bytes.NewReader(packed)) // gzip reads no further than its end from one that can give back
	zip, err := gzip.NewReader(source)
	if err != nil {
		return refuse("", "not_an_archive", mendArchive, "this is no pack: a .gwpack is a tar archive packed with gzip")
	}
	zip.Multistream(false)
	budget := int64(min(MaxUnpacked, len(packed)*MaxRatio))
	plain := &metered{r: zip, left: budget + tarSlack}
	files, problem := untar(tar.NewReader(plain), budget)
	if problem == nil {
		problem = plain.finish(source)
	}
	switch {
	case plain.over:
		return refuse(
			"",
			"archive_too_large",
			"remove files that are not part of the pack",
			"unpacked, the archive is larger than %d bytes: at most %d, and %d times its own size",
			budget,
			MaxUnpacked,
			MaxRatio,
		)
	case problem != nil:
		return nil, []Problem{*problem}
	}
	return files, nil
}

// tarSlack is room for what tar itself writes: headers and padding of every entry, and long names.
const tarSlack = MaxEntries * 4096

// metered ends when more comes than was allowed.
type metered struct {
	r    io.Reader
	left int64
	over bool
}

func (m *metered) Read(b []byte) (int, error) {
	if m.left <= 0 {
		m.over = true
		return 0, errors.New("too large")
	}
	n, err := m.r.Read(b[:min(int64(len(b)), m.left)])
	m.left -= int64(n)
	return n, err
}

// finish reads what follows the last entry, which must be nothing: neither in the archive nor behind it.
func (m *metered) finish(source io.Reader) *Problem {
	rest := make([]byte, 32<<10)
	for {
		n, err := m.Read(rest)
		if slices.ContainsFunc(rest[:n], func(b byte) bool { return b != 0 }) {
			p := inFile("", 0, "trailing_data", mendArchive, "something follows the end of the archive")
			return &p
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			p := inFile("", 0, "damaged_archive", mendArchive, "the archive is damaged or cut off")
			return &p
		}
	}
	if n, _ := source.Read(rest[:1]); n > 0 {
		p := inFile("", 0, "trailing_data", mendArchive, "something follows the end of the archive")
		return &p
	}
	return nil
}

func untar(t *tar.Reader, budget int64) (Files, *Problem) {
	files, seen, entries := Files{}, newNames(), 0
	refuse := func(name, code, mend, message string, args ...any) (Files, *Problem) {
		p := inFile(name, 0, code, mend, message, args...)
		return nil, &p
	}
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return refuse("", "damaged_archive", mendArchive, "the archive is damaged or cut off, or no tar archive")
		}
		if entries++; entries > MaxEntries {
			return refuse(
				"",
				"too_many_entries",
				"put several objects of a kind into one file",
				"the archive has more than %d entries",
				MaxEntries,
			)
		}
		shown := printable(h.Name)
		if h.Typeflag == tar.TypeDir {
			if code, why := checkPath(strings.TrimSuffix(h.Name, "/")); code != "" {
				return refuse(shown, code, mendArchive, "%s", why)
			}
			continue
		}
		if h.Typeflag != tar.TypeReg || sparse(h) {
			return refuse(
				shown,
				"not_a_file",
				"put the file itself there",
				"a pack holds files and folders: no links, no devices, no sparse files",
			)
		}
		if code, why := seen.add(h.Name); code != "" {
			return refuse(shown, code, mendArchive, "%s", why)
		}
		if h.Size < 0 || h.Size > budget {
			return refuse(
				shown,
				"archive_too_large",
				"remove files that are not part of the pack",
				"unpacked, the archive is larger than allowed: %d bytes, and %d times its own size",
				MaxUnpacked,
				MaxRatio,
			)
		}
		budget -= h.Size
		content, err := io.ReadAll(io.LimitReader(t, h.Size+1))
		if err != nil || int64(len(content)) != h.Size {
			return refuse(shown, "damaged_archive", mendArchive, "the file is cut off")
		}
		files[h.Name] = content
	}
}

// sparse reports whether a file's size is not what the archive holds of it.
func sparse(h *tar.Header) bool {
	for name := range h.PAXRecords {
		if strings.HasPrefix(name, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// printable is a path as it may be shown.
func printable(name string) string {
	name = strings.ToValidUTF8(name, "?")
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, name)
	if r := []rune(name); len(r) > 100 {
		name = string(r[:100]) + "…"
	}
	return name
}

// Pack writes an archive of the files: the same files give the same bytes.
func (f Files) Pack() ([]byte, error) {
	var out bytes.Buffer
	zip, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	t := tar.NewWriter(zip)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		h := &tar.Header{
			Typeflag: tar.TypeReg,
			Name:     name,
			Mode:     0o644,
			Size:     int64(len(f[name])),
			Format:   tar.FormatPAX,
		}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(f[name]); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(t.Close(), zip.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Open reads a pack from a folder or an archive of the machine. An error is one of the machine's; what is wrong with
// the pack is a problem.
func Open(name string) (Files, []Problem, error) {
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
func Dir(dir fs.FS) (Files, []Problem, error) {
	files, seen, total, entries := Files{}, newNames(), int64(0), 0
	var problems []Problem
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
				inFile(
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
				inFile(
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
			problems = append(problems, inFile(printable(name), 0, code, "rename it", "%s", why))
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if total += info.Size(); total > MaxUnpacked {
			problems = append(
				problems,
				inFile(
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

package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
)

// mendArchive is the advice for an archive that another program has built.
const mendArchive = "build it with: grantwright pack build"

// Unpack reads an archive (tar, packed with gzip) within the limits. It writes nothing anywhere. Files is nil when
// there is a problem.
func Unpack(packed []byte) (Files, []diagnostic.Problem) {
	refuse := func(name, code, mend, message string, args ...any) (Files, []diagnostic.Problem) {
		return nil, []diagnostic.Problem{diagnostic.InFile(name, 0, code, mend, message, args...)}
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
		return nil, []diagnostic.Problem{*problem}
	}
	return files, nil
}

// tarSlack is room for what tar itself writes: headers and padding of every entry, and long names.
const tarSlack = MaxEntries * 4096

// metered ends when more comes than was allowed.
type metered struct {
	r io.Reader
	// left is how many bytes may still come; over says that more came.
	left int64
	over bool
}

// Read reads no more than what is left, and then fails.
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
func (m *metered) finish(source io.Reader) *diagnostic.Problem {
	rest := make([]byte, 32<<10)
	for {
		n, err := m.Read(rest)
		if slices.ContainsFunc(rest[:n], func(b byte) bool { return b != 0 }) {
			p := diagnostic.InFile("", 0, "trailing_data", mendArchive, "something follows the end of the archive")
			return &p
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			p := diagnostic.InFile("", 0, "damaged_archive", mendArchive, "the archive is damaged or cut off")
			return &p
		}
	}
	if n, _ := source.Read(rest[:1]); n > 0 {
		p := diagnostic.InFile("", 0, "trailing_data", mendArchive, "something follows the end of the archive")
		return &p
	}
	return nil
}

// untar reads the files of an archive. budget bounds their total size in bytes: an archive of a few
// kilobytes may hold gigabytes. Paths are checked before anything is read, and links and devices
// are refused.
func untar(t *tar.Reader, budget int64) (Files, *diagnostic.Problem) {
	files, seen, entries := Files{}, newNames(), 0
	refuse := func(name, code, mend, message string, args ...any) (Files, *diagnostic.Problem) {
		p := diagnostic.InFile(name, 0, code, mend, message, args...)
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
		shown := diagnostic.Printable(h.Name)
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

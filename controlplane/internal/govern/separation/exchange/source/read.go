package source

import (
	"archive/zip"
	"bytes"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange/ruleset"
)

// File is a file as it was uploaded.
type File struct {
	Name    string
	Content []byte
}

// Text is a decoded file.
type Text struct {
	Name     string
	Encoding string
	Body     string
	Lines    int
}

// Line is the place of a line of the text.
func (t Text) Line(n int) ruleset.Place { return ruleset.Place{File: t.Name, Line: n} }

// ratio is how many times larger than an archive its content may be. Rule sets repeat themselves: real ones reach 50.
const ratio = 200

// Read decodes the files. What cannot be read is a problem of the report.
func Read(files []File, r *ruleset.Report) []Text {
	u := unpacking{left: ruleset.MostBytes, report: r}
	for _, f := range files {
		u.add(f)
	}
	lines := 0
	texts := make([]Text, 0, len(u.files))
	for _, f := range u.files {
		t, ok := decode(f, r)
		if !ok {
			continue
		}
		if lines += t.Lines; lines > ruleset.MostLines {
			r.Add(t.Line(0), "", "too_large", "The files have more than %d lines. Split them into several imports.",
				ruleset.MostLines)
			return nil
		}
		texts = append(texts, t)
	}
	return texts
}

// unpacking collects the files of archives within the limits of all together.
type unpacking struct {
	files  []File
	left   int64
	over   bool
	report *ruleset.Report
}

// add adds a file, or those of an archive.
func (u *unpacking) add(f File) {
	if f.Name = clean(f.Name); bytes.HasPrefix(f.Content, []byte("PK\x03\x04")) ||
		strings.EqualFold(path.Ext(f.Name), ".zip") {
		u.unzip(f)
		return
	}
	u.keep(f)
}

// clean drops what a name has that no file name needs, so that it can be shown.
func clean(name string) string {
	name = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f || c == utf8.RuneError {
			return -1
		}
		return c
	}, strings.ReplaceAll(name, `\`, "/"))
	return strings.TrimPrefix(path.Clean("/"+name), "/")
}

// keep adds a file, if it fits.
func (u *unpacking) keep(f File) {
	at := ruleset.Place{File: f.Name}
	u.left -= int64(len(f.Content))
	switch {
	case u.over:
	case len(u.files) >= ruleset.MostFiles:
		u.over = true
		u.report.Add(at, "", "too_many_files", "There are more than %d files. Split them into several imports.",
			ruleset.MostFiles)
	case u.left < 0:
		u.over = true
		u.report.Add(at, "", "too_large", "The files are larger than %d MiB. Split them into several imports.",
			ruleset.MostBytes>>20)
	default:
		u.files = append(u.files, f)
	}
}

// unzip adds the files of an archive. Archives in archives are refused, folders and hidden files left out.
func (u *unpacking) unzip(f File) {
	at := ruleset.Place{File: f.Name}
	z, err := zip.NewReader(bytes.NewReader(f.Content), int64(len(f.Content)))
	if err != nil {
		u.report.Add(at, "", "damaged_archive", "The archive cannot be read (%v). Create it again.", err)
		return
	}
	budget := int64(len(f.Content)) * ratio
	for _, each := range z.File {
		name := path.Base(clean(each.Name))
		if u.over || each.FileInfo().IsDir() || strings.HasPrefix(name, ".") ||
			strings.HasPrefix(each.Name, "__MACOSX/") {
			continue
		}
		at := ruleset.Place{File: f.Name + "/" + clean(each.Name)}
		if strings.EqualFold(path.Ext(name), ".zip") {
			u.report.Add(at, "", "nested_archive", "An archive must not contain archives. Unpack this one first.")
			continue
		}
		if each.Flags&1 != 0 {
			u.report.Add(at, "", "encrypted", "The file is encrypted. Create the archive without a password.")
			continue
		}
		content, ok := u.inflate(each, at, &budget)
		if ok {
			u.keep(File{at.File, content})
		}
	}
}

// inflate reads a file of an archive, no further than the limits: what its header says of its size is no promise.
func (u *unpacking) inflate(f *zip.File, at ruleset.Place, budget *int64) ([]byte, bool) {
	in, err := f.Open()
	if err != nil {
		u.report.Add(at, "", "damaged_archive", "The file cannot be unpacked (%v). Create the archive again.", err)
		return nil, false
	}
	defer func() { _ = in.Close() }()
	most := min(*budget, u.left)
	content, err := io.ReadAll(io.LimitReader(in, most+1))
	switch *budget -= int64(len(content)); {
	case int64(len(content)) > most:
		u.over = true
		u.report.Add(
			at,
			"",
			"too_large",
			"Unpacked, the archive is larger than %d MiB or %d times its own size. Upload "+
				"the files themselves.",
			ruleset.MostBytes>>20,
			ratio,
		)
		return nil, false
	case err != nil:
		u.report.Add(at, "", "damaged_archive", "The file is damaged (%v). Create the archive again.", err)
		return nil, false
	}
	return content, true
}

// decode finds the encoding of a file: UTF-16 by its byte order mark, UTF-8 if it is valid, otherwise Windows-1252.
func decode(f File, r *ruleset.Report) (t Text, ok bool) {
	t = Text{Name: f.Name, Encoding: "utf-8"}
	body, at := f.Content, t.Line(0)
	var err error
	switch {
	case bytes.HasPrefix(body, []byte{0xff, 0xfe}) || bytes.HasPrefix(body, []byte{0xfe, 0xff}):
		t.Encoding = "utf-16"
		if len(body)%2 != 0 {
			r.Add(at, "", "damaged_file", "The file is UTF-16 with half a character at its end. Upload it again.")
			return t, false
		}
		body, err = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Bytes(body)
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		body = body[3:]
		if !utf8.Valid(body) {
			r.Add(at, "", "damaged_file", "The file says that it is UTF-8, and is not. Save it as UTF-8 again.")
			return t, false
		}
	case !utf8.Valid(body):
		t.Encoding = "windows-1252"
		body, err = charmap.Windows1252.NewDecoder().Bytes(body)
		r.Note(
			at,
			"",
			"encoding",
			"The file was read as Windows-1252, because it is not UTF-8. If letters look wrong, "+
				"save it as UTF-8.",
		)
	}
	if err != nil {
		r.Add(at, "", "damaged_file", "The file cannot be decoded (%v). Save it as UTF-8.", err)
		return t, false
	}
	t.Body = strings.ReplaceAll(strings.ReplaceAll(string(body), "\r\n", "\n"), "\r", "\n")
	t.Lines = strings.Count(t.Body, "\n") + 1
	for n, line := range strings.Split(t.Body, "\n") {
		if i := strings.IndexFunc(line, unreadable); i >= 0 {
			r.Add(t.Line(n+1), "", "control_character", "The line has a control character at position %d. Remove it: "+
				"the file may be damaged, or no text file.", i+1)
			return t, false
		}
	}
	return t, true
}

// unreadable reports characters that texts have not.
func unreadable(c rune) bool {
	return (c < ' ' && c != '\t') || c == 0x7f || c == utf8.RuneError || c == 0xfeff
}

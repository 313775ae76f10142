package spool

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func open(t *testing.T, max int64) (*Spool, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "spool")
	s, err := Open(dir, max)
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

func put(t *testing.T, q *Queue, pages ...string) {
	t.Helper()
	for _, p := range pages {
		if err := q.Put([]byte(p)); err != nil {
			t.Fatal(err)
		}
	}
}

func take(t *testing.T, q *Queue) string {
	t.Helper()
	data, err := q.Oldest()
	if err != nil {
		t.Fatal(err)
	}
	q.Drop()
	return string(data)
}

func TestPagesComeBackInOrderAndLeaveNothingBehind(t *testing.T) {
	s, dir := open(t, 0)
	a, b := s.Queue(), s.Queue()
	put(t, a, "a1", "a2")
	put(t, b, "b1")
	put(t, a, "a3")
	if got := []string{take(t, a), take(t, a), take(t, b), take(t, a)}; fmt.Sprint(got) != "[a1 a2 b1 a3]" {
		t.Errorf("pages %v", got)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 || s.Bytes() != 0 {
		t.Errorf("%d files and %d bytes are left (%v)", len(left), s.Bytes(), err)
	}
}

func TestWhatIsOnDiskCannotBeReadByOthers(t *testing.T) {
	s, dir := open(t, 0)
	put(t, s.Queue(), strings.Repeat("somebody@example.org ", 500))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v (%v)", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(files[0])
	if err != nil || info.Mode().Perm() != 0o600 || bytes.Contains(data, []byte("somebody")) {
		t.Errorf(
			"mode %v, %d bytes, readable: %v (%v)",
			info.Mode(),
			len(data),
			bytes.Contains(data, []byte("somebody")),
			err,
		)
	}
}

func TestAPageThatWasChangedOrMovedIsRefused(t *testing.T) {
	for name, harm := range map[string]func(dir string) error{
		"changed": func(dir string) error {
			data, err := os.ReadFile(filepath.Join(dir, "1-0"))
			if err != nil {
				return err
			}
			data[len(data)/2] ^= 1
			return os.WriteFile(filepath.Join(dir, "1-0"), data, 0o600)
		},
		"moved":     func(dir string) error { return os.Rename(filepath.Join(dir, "1-1"), filepath.Join(dir, "1-0")) },
		"cut short": func(dir string) error { return os.Truncate(filepath.Join(dir, "1-0"), 3) },
		"gone":      func(dir string) error { return os.Remove(filepath.Join(dir, "1-0")) },
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := open(t, 0)
			q := s.Queue()
			put(t, q, "first page", "second page")
			if err := harm(dir); err != nil {
				t.Fatal(err)
			}
			if data, err := q.Oldest(); err == nil {
				t.Errorf("read %q", data)
			}
		})
	}
}

func TestTheSpoolIsBoundedAlsoAgainstManySmallPages(t *testing.T) {
	s, _ := open(t, 3*block)
	q, other := s.Queue(), s.Queue()
	put(t, q, "1", "2")
	put(t, other, "3")
	if err := q.Put([]byte("4")); !errors.Is(err, ErrFull) {
		t.Fatalf("a fourth page: %v, want ErrFull", err)
	}
	take(t, q)
	put(t, other, "5")
	if err := q.Put(make([]byte, block)); !errors.Is(err, ErrFull) {
		t.Errorf("a page of two blocks: %v, want ErrFull", err)
	}
	other.Close()
	if s.Bytes() != block || q.Len() != 1 {
		t.Errorf("after closing one queue %d bytes and %d pages, want %d and 1", s.Bytes(), q.Len(), block)
	}
	if err := other.Put([]byte("6")); err == nil {
		t.Error("a closed queue took a page")
	}
}

func TestADiskThatTakesNothingIsToldAndForgottenWhenItDoesAgain(t *testing.T) {
	s, dir := open(t, 0)
	q := s.Queue()
	put(t, q, "1")
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	if err := q.Put([]byte("2")); err == nil || errors.Is(err, ErrFull) || s.Failure() == nil || q.Len() != 1 ||
		s.Bytes() != block {
		t.Errorf("Put = %v, failure %v, %d pages, %d bytes", err, s.Failure(), q.Len(), s.Bytes())
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	put(t, q, "2")
	if got := []string{take(t, q), take(t, q)}; s.Failure() != nil || fmt.Sprint(got) != "[1 2]" {
		t.Errorf("failure %v, pages %v", s.Failure(), got)
	}
}

func TestAFullDiskLeavesNoHalfPage(t *testing.T) {
	s, dir := open(t, 0)
	// Every write to this device fails as on a full disk (full(4)); the page's file is made to be it.
	if err := os.Symlink("/dev/full", filepath.Join(dir, "probe")); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "probe"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	q := s.Queue()
	create = func(string) (*os.File, error) { return os.OpenFile(filepath.Join(dir, "probe"), os.O_WRONLY, 0) }
	t.Cleanup(func() { create = createFile })
	if err := q.Put([]byte("1")); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("Put = %v, want a full disk", err)
	}
	create = createFile
	put(t, q, "1")
	if got := take(t, q); got != "1" || s.Bytes() != 0 {
		t.Errorf("page %q, %d bytes left", got, s.Bytes())
	}
}

func TestAStartDeletesWhatAnEarlierProcessLeft(t *testing.T) {
	s, dir := open(t, 0)
	put(t, s.Queue(), "1", "2")
	again, err := Open(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 || again.Bytes() != 0 {
		t.Errorf("%d files are left (%v)", len(left), err)
	}
}

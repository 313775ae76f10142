package process

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Pack writes folders of dir into a tar file, which appears only once it is whole.
func Pack(dir string, folders []string, to string) (err error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(to), ".tree-*")
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err == nil {
			err = os.Rename(f.Name(), to)
		}
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	w := tar.NewWriter(f)
	for _, folder := range folders {
		if err := filepath.WalkDir(filepath.Join(dir, folder), func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return packOne(w, dir, path, e)
		}); err != nil {
			return err
		}
	}
	return w.Close()
}

// packOne leaves out what is neither a file nor a folder, such as sockets.
func packOne(w *tar.Writer, dir, path string, e fs.DirEntry) error {
	info, err := e.Info()
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return err
	}
	h, err := tar.FileInfoHeader(info, "")
	if err != nil {
		return err
	}
	if h.Name, err = filepath.Rel(dir, path); err != nil {
		return err
	}
	if err := w.WriteHeader(h); err != nil || info.IsDir() {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// Unpack lays out below dir what Pack has written.
func Unpack(from, dir string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	r := tar.NewReader(f)
	for {
		h, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case !filepath.IsLocal(h.Name):
			return errors.New("the file names a place outside of it")
		}
		path := filepath.Join(dir, h.Name)
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, h.FileInfo().Mode().Perm())
		} else {
			err = unpackOne(r, path, h.FileInfo().Mode().Perm())
		}
		if err != nil {
			return err
		}
	}
}

func unpackOne(r io.Reader, path string, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

package main

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxColumns is the longest line of Go.
const maxColumns = 120

// source is what the Go files are made of, tests and the modules of tests aside.
type source struct {
	lines, blank, comments, long, tokens, workers int

	sizes map[string]int // lines of each folder
}

// readGo reads the Go files of the product.
func readGo(root string) (*source, error) {
	s := &source{sizes: map[string]int{}}
	for _, module := range []string{"protocol", "connectorkit", "agent", "controlplane"} {
		err := walk(filepath.Join(root, module), func(path string, text []byte) error {
			if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				rel, err := filepath.Rel(root, path)
				if err != nil {
					return err
				}
				s.add(filepath.ToSlash(filepath.Dir(rel)), text)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// walk calls visit with each file below dir that belongs to the sources.
func walk(dir string, visit func(path string, text []byte) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"node_modules", "dist", "testdata"}, d.Name()):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains([]string{".go", ".ts", ".tsx", ".sql"}, filepath.Ext(path)):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return visit(path, text)
	})
}

func (s *source) add(dir string, text []byte) {
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	s.lines += len(lines)
	s.sizes[dir] += len(lines)
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			s.blank++
		}
		if utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")) > maxColumns {
			s.long++
		}
	}
	s.workers += strings.Count(string(text), "&loop.Worker{") + strings.Count(string(text), " loop.Worker{")
	s.scan(text)
}

// scan counts tokens, and the lines on which only a comment is.
func (s *source) scan(text []byte) {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(text))
	var sc scanner.Scanner
	sc.Init(file, text, nil, scanner.ScanComments)
	codeLine := 0
	for {
		pos, tok, lit := sc.Scan()
		switch {
		case tok == token.EOF:
			return
		case tok == token.COMMENT:
			if file.Line(pos) != codeLine {
				s.comments += 1 + strings.Count(lit, "\n")
			}
		case tok == token.SEMICOLON && lit == "\n": // inserted by the scanner
		default:
			s.tokens++
			codeLine = file.Line(pos) + strings.Count(lit, "\n")
		}
	}
}

func (s *source) linesUnder(prefix string) int {
	n := 0
	for dir, lines := range s.sizes {
		if strings.HasPrefix(dir, prefix) {
			n += lines
		}
	}
	return n
}

func (s *source) percent(n int) float64 { return 100 * float64(n) / float64(max(1, s.lines)) }

type size struct {
	dir   string
	lines int
}

// packageSizes are the size that 95 % of all packages do not exceed, and the largest package.
func (s *source) packageSizes() (p95 int, largest size) {
	var all []int
	for dir, lines := range s.sizes {
		all = append(all, lines)
		if lines > largest.lines {
			largest = size{dir, lines}
		}
	}
	slices.Sort(all)
	return all[len(all)*95/100], largest
}

package spreadsheet

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Sheet writes CSV (RFC 4180) that people open in spreadsheets. A cell that a spreadsheet would take for a formula
// begins with an apostrophe, and one that holds a separator of any locale is quoted, so that nothing in it becomes a
// cell of its own.
type Sheet struct{ out *bufio.Writer }

// New writes to w, once it is flushed.
func New(w io.Writer) *Sheet { return &Sheet{bufio.NewWriter(w)} }

// Write writes one row.
func (s *Sheet) Write(row []string) error {
	for i, cell := range row {
		if i > 0 {
			_ = s.out.WriteByte(',') // the writer keeps the first error
		}
		cell = Harmless(cell)
		if strings.ContainsAny(cell, ",;|\t\"\r\n") || strings.HasPrefix(cell, " ") || cell == `\.` {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		_, _ = s.out.WriteString(cell)
	}
	if err := s.out.WriteByte('\n'); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// Flush writes what is kept back.
func (s *Sheet) Flush() error {
	if err := s.out.Flush(); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// Harmless keeps a spreadsheet from taking a cell for a formula (OWASP ASVS 1.2.10): what it begins with decides, also
// after a space.
func Harmless(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠ ", []rune(cell)[0]) {
		return "'" + cell
	}
	return cell
}

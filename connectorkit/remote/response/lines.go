package response

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Bounds of a stream.
const (
	MaxLine   = 4 << 20 // bytes of one line
	MaxBlanks = 1000    // empty lines in a row, which keep the connection alive
)

var (
	ErrLineTooLong = errors.New("a line is too long")
	ErrOnlyBlanks  = errors.New("there are too many empty lines in a row")
)

// Lines reads a stream line by line, of which it holds one. The last needs no line feed.
type Lines struct {
	in    *bufio.Reader
	most  int
	N     int // of the line read last, from 1, empty ones too
	line  []byte
	Blank func() // is called for empty lines; may be nil
}

func NewLines(in io.Reader, most int) *Lines {
	return &Lines{in: bufio.NewReaderSize(in, 64<<10), most: most}
}

// Next gives a line that is not empty, without the white space around it. It holds until the next call. Whole is false
// where the stream ended without a line feed, so that the line may have been cut.
func (l *Lines) Next() (line []byte, whole bool, err error) {
	for blanks := 0; ; blanks++ {
		if blanks > MaxBlanks {
			return nil, false, ErrOnlyBlanks
		}
		text, err := l.read()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, false, err
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			return text, err == nil, nil
		}
		if err != nil {
			return nil, false, err
		}
		if l.Blank != nil {
			l.Blank()
		}
	}
}

// read gives the next line with its line feed; with io.EOF, what came after the last one.
func (l *Lines) read() ([]byte, error) {
	l.line = l.line[:0]
	l.N++
	for {
		part, err := l.in.ReadSlice('\n')
		if len(l.line)+len(part) > l.most {
			return nil, ErrLineTooLong
		}
		l.line = append(l.line, part...)
		if l.N == 1 && !errors.Is(err, bufio.ErrBufferFull) {
			l.line = bytes.TrimPrefix(l.line, []byte("\xEF\xBB\xBF"))
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l.line, err
		}
	}
}

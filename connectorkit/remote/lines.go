package remote

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Bounds of a stream.
const (
	maxLine   = 4 << 20 // bytes of one line
	maxBlanks = 1000    // empty lines in a row, which keep the connection alive
)

var (
	errLineTooLong = errors.New("a line is too long")
	errOnlyBlanks  = errors.New("there are too many empty lines in a row")
)

// lines reads a stream line by line, of which it holds one. The last needs no line feed.
type lines struct {
	in    *bufio.Reader
	most  int
	n     int // of the line read last, from 1, empty ones too
	line  []byte
	blank func() // hears of empty lines; may be nil
}

func newLines(in io.Reader, most int) *lines {
	return &lines{in: bufio.NewReaderSize(in, 64<<10), most: most}
}

// next gives a line that is not empty, without the white space around it. It holds until the next call. Whole is false
// where the stream ended without a line feed, so that the line may have been cut.
func (l *lines) next() (line []byte, whole bool, err error) {
	for blanks := 0; ; blanks++ {
		if blanks > maxBlanks {
			return nil, false, errOnlyBlanks
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
		if l.blank != nil {
			l.blank()
		}
	}
}

// read gives the next line with its line feed; with io.EOF, what came after the last one.
func (l *lines) read() ([]byte, error) {
	l.line = l.line[:0]
	l.n++
	for {
		part, err := l.in.ReadSlice('\n')
		if len(l.line)+len(part) > l.most {
			return nil, errLineTooLong
		}
		l.line = append(l.line, part...)
		if l.n == 1 && !errors.Is(err, bufio.ErrBufferFull) {
			l.line = bytes.TrimPrefix(l.line, []byte("\xEF\xBB\xBF"))
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l.line, err
		}
	}
}

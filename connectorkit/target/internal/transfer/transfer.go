package transfer

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// What ends a read that brings nothing, and a body that brings too little.
var (
	ErrIdle = errors.New("nothing came for too long")
	ErrSlow = errors.New("too little came for too long")
)

// Reader counts what came over the wire, and ends the request when a read stalls or when all reads together
// wait too long for what they bring. The clock runs only during a read, so that a slow consumer is not taken
// for a slow target.
type Reader struct {
	R      io.ReadCloser
	N      int64
	Idle   time.Duration
	Total  time.Duration
	waited time.Duration
	Cancel context.CancelCauseFunc
	once   sync.Once
}

// Read gives what came.
func (c *Reader) Read(p []byte) (int, error) {
	// Who sends at a fair rate may take any time; who drips may not.
	left := c.Total + time.Duration(c.N/fairRate)*time.Second - c.waited
	limit, reason := c.Idle, ErrIdle
	if left < limit {
		limit, reason = max(left, 0), ErrSlow
	}
	began := time.Now()
	watch := time.AfterFunc(limit, func() { c.Cancel(reason) })
	n, err := c.R.Read(p)
	watch.Stop()
	c.waited += time.Since(began)
	c.N += int64(n)
	return n, err
}

// Close ends the exchange. It may be called more than once.
func (c *Reader) Close() (err error) {
	c.once.Do(func() {
		err = c.R.Close()
		c.Cancel(context.Canceled)
	})
	return err
}

// Gzip reads the gzip header on first use, so that an answer without body is no error.
type Gzip struct {
	From io.Reader
	zip  *gzip.Reader
}

// Read gives decompressed bytes.
func (z *Gzip) Read(p []byte) (int, error) {
	if z.zip == nil {
		zip, err := gzip.NewReader(z.From)
		if err != nil {
			return 0, err
		}
		z.zip = zip
	}
	return z.zip.Read(p)
}

// fairRate is in bytes a second; a body that comes faster may take longer than its time.
const fairRate = 64 << 10

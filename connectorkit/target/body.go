package target

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// What ends a read that brings nothing, and a body that brings too little.
var (
	errIdle = errors.New("nothing came for too long")
	errSlow = errors.New("too little came for too long")
)

// body is the bounded answer of a target: decompressed, never longer than limit, never growing more than a hundredfold, and
// given up when a single read stalls. Its errors are *v1.ErrorDetail. It keeps the first bytes for an excerpt.
type body struct {
	resp   *Response
	raw    *counter
	plain  io.Reader
	limit  int64
	read   int64
	failed error
}

// counter counts what came over the wire, and ends the request when a read stalls or when all reads together wait too long
// for what they bring. The clock runs only during a read, so that a slow consumer is not taken for a slow target.
type counter struct {
	r      io.ReadCloser
	n      int64
	idle   time.Duration
	total  time.Duration
	waited time.Duration
	cancel context.CancelCauseFunc
	once   sync.Once
}

// Read gives what came.
func (c *counter) Read(p []byte) (int, error) {
	// Who sends at a fair rate may take any time; who drips may not.
	left := c.total + time.Duration(c.n/fairRate)*time.Second - c.waited
	limit, reason := c.idle, errIdle
	if left < limit {
		limit, reason = max(left, 0), errSlow
	}
	began := time.Now()
	watch := time.AfterFunc(limit, func() { c.cancel(reason) })
	n, err := c.r.Read(p)
	watch.Stop()
	c.waited += time.Since(began)
	c.n += int64(n)
	return n, err
}

// Close ends the exchange. It may be called more than once.
func (c *counter) Close() (err error) {
	c.once.Do(func() {
		err = c.r.Close()
		c.cancel(context.Canceled)
	})
	return err
}

// Read gives decompressed bytes.
func (b *body) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	n, err := b.plain.Read(p)
	b.read += int64(n)
	b.resp.keep(p[:n])
	switch {
	case b.read > b.limit:
		err = b.resp.fault(v1.ClassTargetFault, "body_too_large",
			fmt.Sprintf("the answer is larger than %d MiB", b.limit>>20), "Ask for smaller pages.")
	case b.raw != nil && b.read > 1<<20 && b.read/maxRatio > b.raw.n:
		// Below a MiB nothing can be hurt, and short repetitive JSON does shrink a hundredfold.
		err = b.resp.fault(v1.ClassTargetFault, "compression_bomb",
			"the answer grows more than a hundredfold when it is decompressed; it was not read on", "")
	case err != nil && !errors.Is(err, io.EOF):
		err = b.resp.cut(err)
	}
	b.failed = err
	return n, err
}

// lazyGzip reads the gzip header on first use, so that an answer without body is no error.
type lazyGzip struct {
	from io.Reader
	zip  *gzip.Reader
}

func (z *lazyGzip) Read(p []byte) (int, error) {
	if z.zip == nil {
		zip, err := gzip.NewReader(z.from)
		if err != nil {
			return 0, err
		}
		z.zip = zip
	}
	return z.zip.Read(p)
}

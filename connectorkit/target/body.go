package target

import (
	"errors"
	"fmt"
	"io"

	"github.com/grantwright/grantwright/connectorkit/target/internal/transfer"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// body is the bounded answer of a target: decompressed, never longer than limit, never growing more than a
// hundredfold, and given up when a single read stalls. Its errors are *v1.ErrorDetail. It keeps the first
// bytes for an excerpt.
type body struct {
	resp   *Response
	raw    *transfer.Reader
	plain  io.Reader
	limit  int64
	read   int64
	failed error
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
	case b.raw != nil && b.read > 1<<20 && b.read/maxRatio > b.raw.N:
		// Below a MiB nothing can be hurt, and short repetitive JSON does shrink a hundredfold.
		err = b.resp.fault(v1.ClassTargetFault, "compression_bomb",
			"the answer grows more than a hundredfold when it is decompressed; it was not read on", "")
	case err != nil && !errors.Is(err, io.EOF):
		err = b.resp.cut(err)
	}
	b.failed = err
	return n, err
}

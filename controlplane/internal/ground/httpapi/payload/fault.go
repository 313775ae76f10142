package payload

import (
	"errors"
	"net/http"
	"os"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// ReadFault is the fault of a body that could not be read to its end: too large, too slow, or cut off.
func ReadFault(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return fault.Coded(fault.Malformed, "payload_too_large", "the body may have at most %d bytes", tooLarge.Limit)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return tooSlow()
	}
	return fault.New(fault.Malformed, "the body could not be read to its end")
}

// tooSlow is the fault of a body that is not whole in time, or was cut off for being the oldest of too many.
func tooSlow() error {
	return fault.Coded(fault.Malformed, "request_timeout", "The body did not arrive in time. Send it at once.")
}

// Package transfer reads answers under bounds of time: a read that stalls, and a body that comes too slowly, end the
// request. The clock runs only during a read, so a slow consumer is not taken for a slow target.
//
//	body := &transfer.Reader{…} // errors.Is(context.Cause(ctx), transfer.ErrSlow)
package transfer

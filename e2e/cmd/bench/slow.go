package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	slowConnections = 2000
	slowAddresses   = 4 // of this machine, so that none has more connections than an address may have
	slowSignIns     = 200
	slowReads       = 1000
	slowPace        = time.Second // between two bytes that a connection sends
)

// slow measures what those who behave notice of 2,000 connections that send their requests byte by byte: half of them
// headers, half of them the body of a sign-in. A connection that the server ends is opened again.
func slow(ctx context.Context, b *bench) error {
	c, err := b.tenant(ctx, "slow")
	if err != nil {
		return err
	}
	who := b.signIns["slow"]
	read := func() error { return c.Get(ctx, "/identities?limit=50", nil) }
	signIn := func() error { return c.Login(ctx, who[0], who[1]) }
	if err := errors.Join(read(), signIn()); err != nil {
		return err
	}
	crawling, stop := context.WithCancel(ctx)
	defer stop()
	var open atomic.Int64
	var crowd sync.WaitGroup
	for i := range slowConnections {
		crowd.Go(func() { crawl(crawling, b.plane.Listen, i, &open) })
	}
	defer crowd.Wait()
	defer stop()
	for open.Load() < slowConnections*9/10 {
		select {
		case <-ctx.Done():
			return fmt.Errorf(
				"%d of %d slow connections are open: %w",
				open.Load(),
				slowConnections,
				context.Cause(ctx),
			)
		case <-time.After(50 * time.Millisecond):
		}
	}
	least := open.Load()
	reads, err := timed(ctx, slowReads, 20*time.Millisecond, read, func() { least = min(least, open.Load()) })
	if err != nil {
		return err
	}
	signIns, err := timed(ctx, slowSignIns, 20*time.Millisecond, signIn, func() { least = min(least, open.Load()) })
	if err != nil {
		return err
	}
	note("Slow connections that are open at once, at least", float64(least), "x")
	atMost("  GET /identities beside them, p99", 500, percentile(reads, 0.99), "ms")
	note("  p50", percentile(reads, 0.5), "ms")
	atMost("  sign-in beside them, p99", 500, percentile(signIns, 0.99), "ms")
	note("  p50", percentile(signIns, 0.5), "ms")
	return nil
}

// timed does something n times with pauses, and gives how long each took.
func timed(
	ctx context.Context,
	n int,
	pause time.Duration,
	do func() error,
	each func(),
) (took []time.Duration, err error) {
	for range n {
		began := time.Now()
		if err := do(); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
		each()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
	return took, nil
}

// crawl sends requests byte by byte, over one connection after the other.
func crawl(ctx context.Context, address string, number int, open *atomic.Int64) {
	from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+number%slowAddresses))}}
	request := "POST /api/v1/auth/login HTTP/1.1\r\nHost: " + address +
		"\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"
	if number%2 == 0 {
		request = "GET /health HTTP/1.1\r\nHost: " + address + "\r\nX-Slow: "
	}
	for ctx.Err() == nil {
		conn, err := from.DialContext(ctx, "tcp", address)
		if err != nil {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		open.Add(1)
		_, err = conn.Write([]byte(request))
		for tick := time.NewTicker(slowPace); err == nil; {
			select {
			case <-ctx.Done():
				err = ctx.Err()
			case <-tick.C:
				_, err = conn.Write([]byte(" "))
			}
		}
		open.Add(-1)
		_ = conn.Close()
	}
}

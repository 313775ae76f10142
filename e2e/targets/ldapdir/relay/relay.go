// Package relay passes TCP connections on to a server behind it and can end them, whole or in the middle of an LDAP
// entry, as a failing network does.
//
// The bundled directory (package ldapdir) puts one before its protocol server:
//
//	r, err := relay.Start("127.0.0.1:0", inner, func() int { return faults.CutAfter })
//	defer r.Close()
package relay

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// Relay is a listener and the connections that it passes on.
type Relay struct {
	listener net.Listener
	inner    string
	cutAfter func() int

	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
	wg     sync.WaitGroup
}

// Start listens at addr and passes connections on to inner. Where cutAfter is more than 0, a connection ends in the
// middle of the entry after so many.
func Start(addr, inner string, cutAfter func() int) (*Relay, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	r := &Relay{listener: l, inner: inner, cutAfter: cutAfter, open: map[net.Conn]bool{}}
	r.wg.Go(r.accept)
	return r, nil
}

// Addr is the address that clients connect to.
func (r *Relay) Addr() string { return r.listener.Addr().String() }

func (r *Relay) accept() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.wg.Go(func() { r.serve(client) })
	}
}

// serve joins one client to a connection of its own; when either side ends, both are closed.
func (r *Relay) serve(client net.Conn) {
	server, err := net.Dial("tcp", r.inner)
	if err != nil {
		_ = client.Close()
		return
	}
	if !r.track(client, server) {
		return
	}
	defer r.release(client, server)
	r.wg.Go(func() {
		_, _ = io.Copy(server, client)
		r.release(client, server)
	})
	_ = r.answers(client, server)
}

// track notes a pair, or closes it when the relay is closing.
func (r *Relay) track(pair ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range pair {
		if r.closed {
			_ = c.Close()
		} else {
			r.open[c] = true
		}
	}
	return !r.closed
}

func (r *Relay) release(pair ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range pair {
		_ = c.Close()
		delete(r.open, c)
	}
}

// errCut ends a connection on purpose.
var errCut = errors.New("connection cut")

// answers copies whole LDAP messages to the client and writes to the network when no further one is waiting.
func (r *Relay) answers(client io.Writer, server io.Reader) error {
	in, out := bufio.NewReaderSize(server, 64<<10), bufio.NewWriterSize(client, 64<<10)
	var frame []byte
	for entries := 0; ; {
		var err error
		if frame, err = readFrame(in, frame[:0]); err != nil {
			return errors.Join(err, out.Flush())
		}
		if isEntry(frame) {
			entries++
		}
		if limit := r.cutAfter(); limit > 0 && entries > limit {
			_, _ = out.Write(frame[:len(frame)/2])
			return errors.Join(errCut, out.Flush())
		}
		if _, err = out.Write(frame); err != nil {
			return err
		}
		if in.Buffered() > 0 {
			continue
		}
		if err = out.Flush(); err != nil {
			return err
		}
	}
}

// readFrame appends one BER element with a definite length, as LDAP demands (RFC 4511 section 5.1).
func readFrame(in *bufio.Reader, frame []byte) ([]byte, error) {
	head, err := in.Peek(2)
	if err != nil {
		return nil, err
	}
	headLen, size := 2, int(head[1])
	if size >= 0x80 {
		headLen += size & 0x7f
		if head, err = in.Peek(headLen); err != nil {
			return nil, err
		}
		size = 0
		for _, b := range head[2:] {
			size = size<<8 | int(b)
		}
	}
	frame = append(frame, make([]byte, headLen+size)...)
	_, err = io.ReadFull(in, frame)
	return frame, err
}

// isEntry says whether a message is a SearchResultEntry: the element behind the message id bears
// application tag 4.
func isEntry(frame []byte) bool {
	at := 2
	if frame[1] >= 0x80 {
		at += int(frame[1] & 0x7f)
	}
	if at+1 >= len(frame) {
		return false
	}
	at += 2 + int(frame[at+1])
	return at < len(frame) && frame[at] == 0x64
}

// Close ends the listener and every connection, and waits for them.
func (r *Relay) Close() {
	_ = r.listener.Close()
	r.mu.Lock()
	r.closed = true
	for c := range r.open {
		_ = c.Close()
	}
	r.mu.Unlock()
	r.wg.Wait()
}

package ldapdir

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// relay passes connections on to the protocol server and can end them, whole or in the middle of an entry.
type relay struct {
	listener net.Listener
	inner    string
	cutAfter func() int

	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
	wg     sync.WaitGroup
}

func startRelay(addr, inner string, cutAfter func() int) (*relay, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	r := &relay{listener: l, inner: inner, cutAfter: cutAfter, open: map[net.Conn]bool{}}
	r.wg.Go(r.accept)
	return r, nil
}

func (r *relay) addr() string { return r.listener.Addr().String() }

func (r *relay) accept() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.wg.Go(func() { r.serve(client) })
	}
}

// serve joins one client to a connection of its own; when either side ends, both are closed.
func (r *relay) serve(client net.Conn) {
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
func (r *relay) track(pair ...net.Conn) bool {
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

func (r *relay) release(pair ...net.Conn) {
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
func (r *relay) answers(client io.Writer, server io.Reader) error {
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

// close ends the listener and every connection, and waits for them.
func (r *relay) close() {
	_ = r.listener.Close()
	r.mu.Lock()
	r.closed = true
	for c := range r.open {
		_ = c.Close()
	}
	r.mu.Unlock()
	r.wg.Wait()
}

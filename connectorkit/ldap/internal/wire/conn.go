// Package wire speaks the LDAPv3 operations a connector needs (RFC 4511): simple bind, StartTLS, search and
// unbind, with the controls for pages, content synchronisation (RFC 4533) and Active Directory's DirSync; and
// add, modify, modify DN, delete and the password modification of RFC 3062.
//
// It exists beside go-ldap, whose filters, DNs and names of codes are used all over, for three reasons.
// go-ldap builds a tree of packets for every entry, which costs ten times the processor time of the whole
// rest of a large read. Its searches end a page without saying so when their context ends, which must never
// be taken for a complete read. And its time limit counts the whole of a search, where a limit on silence is
// wanted.
//
// A Conn serves one goroutine and one call. It holds one message at a time, of at most MaxMessage bytes.
package wire

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	ber "github.com/go-asn1-ber/asn1-ber"
)

// MaxMessage is the largest message accepted, in bytes. A hostile target must not be able to ask for more
// memory than that.
const MaxMessage = 16 << 20

// PagingOID names the control of RFC 2696.
const PagingOID = "1.2.840.113556.1.4.319"

const (
	tagInteger     = 0x02
	tagOctetString = 0x04
	tagEnumerated  = 0x0A
	tagSequence    = 0x30
	tagSet         = 0x31

	tagBindResponse  = 0x61
	tagSearchEntry   = 0x64
	tagSearchDone    = 0x65
	tagSearchRef     = 0x73
	tagExtResponse   = 0x78
	tagIntermediate  = 0x79
	tagControls      = 0xA0
	startTLSOID      = "1.3.6.1.4.1.1466.20037"
	appBind          = 0
	appUnbind        = 2
	appSearch        = 3
	appExtended      = 23
	keepBuffer       = 1 << 20 // a message buffer grown beyond this is not kept
	initialBuffer    = 8 << 10
	readBufferLength = 64 << 10
)

// Result is how an operation ended in the target's own words.
type Result struct {
	// Code is a result code of RFC 4511 section 4.1.9; 0 is success.
	Code int
	// MatchedDN is how much of a DN exists, of results such as noSuchObject.
	MatchedDN string
	// Diagnostic is the directory's own text, which may repeat values of the request.
	Diagnostic string
}

// ResultError is a Result other than success.
type ResultError struct {
	Op string // bind, start_tls, search, disconnect, add, modify, modify_dn, delete, password_modify
	Result
}

// Error has the operation, the code and the diagnostic, for logs. Users read what package ldaperr
// makes of it.
func (e *ResultError) Error() string {
	return fmt.Sprintf("%s: LDAP result %d: %s", e.Op, e.Code, e.Diagnostic)
}

// ErrProtocol is part of every error that says the peer does not speak LDAP as it should.
var ErrProtocol = errors.New("the peer does not follow the LDAP protocol")

// ErrTooLarge says that a message exceeds MaxMessage.
var ErrTooLarge = fmt.Errorf("an LDAP message is larger than %d MiB", MaxMessage>>20)

// ErrEmptyPassword guards against the unauthenticated bind of RFC 4513 section 5.1.2, which "succeeds"
// without proving anything.
var ErrEmptyPassword = errors.New("a bind with a name needs a password")

// Conn is a connection to a directory.
type Conn struct {
	conn   net.Conn
	reader *bufio.Reader
	// idle is how long one read or write may take.
	idle time.Duration
	// buf holds the message in hand. It grows with messages and is used again for the next one.
	buf []byte
	// id is the message ID of the last request (RFC 4511 section 4.1.1.1).
	id int
	// broken says that answers may be unread or half read, so that no further request can be sent.
	broken bool
	unhook func() bool
	entry  Entry
	calls  int
}

// New takes over conn for one call: it is closed when ctx ends. idle bounds the silence of the peer: how long
// one read or write may take.
func New(ctx context.Context, conn net.Conn, idle time.Duration) *Conn {
	c := &Conn{conn: conn, idle: idle, buf: make([]byte, initialBuffer)}
	c.reader = bufio.NewReaderSize(quiet{conn, c}, readBufferLength)
	c.unhook = context.AfterFunc(ctx, func() { _ = conn.Close() })
	return c
}

// quiet gives each read its own deadline, so that a slow but living target is not cut off.
type quiet struct {
	net.Conn
	of *Conn
}

// Read reads with a deadline from now on, so that only silence ends the connection and not a long
// answer.
func (q quiet) Read(p []byte) (int, error) {
	if err := q.SetReadDeadline(time.Now().Add(q.of.idle)); err != nil {
		return 0, err
	}
	return q.Conn.Read(p)
}

// Patience sets how long the peer may be silent from now on, and gives how long it was allowed to be.
func (c *Conn) Patience(idle time.Duration) time.Duration {
	before := c.idle
	c.idle = idle
	return before
}

// Broken reports whether the connection can no longer be used.
func (c *Conn) Broken() bool { return c.broken }

// Calls counts the requests sent.
func (c *Conn) Calls() int { return c.calls }

// Close says goodbye where that is still possible and closes the connection.
func (c *Conn) Close() {
	c.unhook()
	if !c.broken {
		_ = c.conn.SetWriteDeadline(time.Now().Add(time.Second))
		_ = c.send(ber.Encode(ber.ClassApplication, ber.TypePrimitive, appUnbind, nil, ""), nil)
	}
	c.broken = true
	_ = c.conn.Close()
}

// Bind authenticates; an empty name and password bind anonymously. A refusal is a *ResultError.
func (c *Conn) Bind(name, password string) error {
	if password == "" && name != "" {
		return ErrEmptyPassword
	}
	op := ber.Encode(ber.ClassApplication, ber.TypeConstructed, appBind, nil, "")
	op.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, 3, ""))
	op.AppendChild(octets(name))
	op.AppendChild(ber.NewString(ber.ClassContext, ber.TypePrimitive, 0, password, ""))
	return c.exchange("bind", op, tagBindResponse)
}

// StartTLS moves the connection to TLS (RFC 4511 section 4.14). Errors of the handshake are those of crypto/tls.
func (c *Conn) StartTLS(ctx context.Context, config *tls.Config) (tls.ConnectionState, error) {
	op := ber.Encode(ber.ClassApplication, ber.TypeConstructed, appExtended, nil, "")
	op.AppendChild(ber.NewString(ber.ClassContext, ber.TypePrimitive, 0, startTLSOID, ""))
	if err := c.exchange("start_tls", op, tagExtResponse); err != nil {
		return tls.ConnectionState{}, err
	}
	if c.reader.Buffered() > 0 {
		// Bytes sent in the clear after the answer could be an injection into the protected conversation.
		c.broken = true
		return tls.ConnectionState{}, fmt.Errorf("%w: data follows the StartTLS answer in the clear", ErrProtocol)
	}
	secured := tls.Client(c.conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		c.broken = true
		return tls.ConnectionState{}, err
	}
	c.conn = secured
	c.reader = bufio.NewReaderSize(quiet{secured, c}, readBufferLength)
	return secured.ConnectionState(), nil
}

// exchange sends a request that has one answer, and reads it.
func (c *Conn) exchange(name string, op *ber.Packet, answer byte) error {
	if err := c.send(op, nil); err != nil {
		return err
	}
	tag, body, _, err := c.receive()
	if err != nil {
		return err
	}
	if tag != answer {
		return c.unexpected(tag)
	}
	var r Result
	if err := r.decode(body); err != nil {
		return c.malformed(err)
	}
	if r.Code != 0 {
		return &ResultError{Op: name, Result: r}
	}
	return nil
}

// send numbers a request and writes it. A write that fails breaks the connection: a part of the
// message may have been sent.
func (c *Conn) send(op, controls *ber.Packet) error {
	c.id++
	c.calls++
	message := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
	message.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, c.id, ""))
	message.AppendChild(op)
	if controls != nil {
		message.AppendChild(controls)
	}
	if err := c.conn.SetWriteDeadline(time.Now().Add(c.idle)); err != nil {
		c.broken = true
		return err
	}
	if _, err := c.conn.Write(message.Bytes()); err != nil {
		c.broken = true
		return err
	}
	return nil
}

// receive reads the next message of the current request. Its parts are valid until the next call.
func (c *Conn) receive() (tag byte, body, controls []byte, err error) {
	message, err := c.message()
	if err != nil {
		c.broken = true
		return 0, nil, nil, err
	}
	m := cursor(message)
	number, err := m.expect(tagInteger)
	if err != nil {
		return 0, nil, nil, c.malformed(err)
	}
	id, err := integer(number)
	if err != nil {
		return 0, nil, nil, c.malformed(err)
	}
	if tag, body, err = m.next(); err != nil {
		return 0, nil, nil, c.malformed(err)
	}
	if len(m) > 0 {
		if controls, err = m.expect(tagControls); err != nil {
			return 0, nil, nil, c.malformed(err)
		}
	}
	switch {
	case id == 0 && tag == tagExtResponse:
		return 0, nil, nil, c.disconnected(body)
	case id != c.id:
		c.broken = true
		return 0, nil, nil, fmt.Errorf("%w: an answer to request %d came instead of one to %d", ErrProtocol, id, c.id)
	}
	return tag, body, controls, nil
}

// disconnected reads a notice of disconnection (RFC 4511 section 4.4.1): the target's reason for hanging up.
func (c *Conn) disconnected(body []byte) error {
	c.broken = true
	var r Result
	if err := r.decode(body); err != nil {
		return c.malformed(err)
	}
	return &ResultError{Op: "disconnect", Result: r}
}

// message reads one LDAPMessage and gives what is inside of its outermost element.
func (c *Conn) message() ([]byte, error) {
	first, err := c.reader.ReadByte()
	if err != nil {
		return nil, err
	}
	if first != tagSequence {
		return nil, fmt.Errorf("%w: a message starts with byte 0x%02x", ErrProtocol, first)
	}
	size, err := c.length()
	if err != nil {
		return nil, unexpectedEnd(err)
	}
	if size > MaxMessage {
		return nil, ErrTooLarge
	}
	buf, err := c.fill(size)
	return buf, unexpectedEnd(err)
}

// unexpectedEnd says that the connection was closed within a message.
func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// length reads a BER length of at most four bytes. The indefinite form (0x80) is not allowed in
// LDAP (RFC 4511 section 5.1).
func (c *Conn) length() (int, error) {
	b, err := c.reader.ReadByte()
	if err != nil || b < 0x80 {
		return int(b), err
	}
	n := int(b & 0x7F)
	if n == 0 || n > 4 {
		return 0, fmt.Errorf("%w: a length of %d bytes", ErrProtocol, n)
	}
	size := 0
	for range n {
		if b, err = c.reader.ReadByte(); err != nil {
			return 0, err
		}
		size = size<<8 | int(b)
	}
	return size, nil
}

// fill reads size bytes. The buffer grows with what really arrives, not with what a length field announces.
func (c *Conn) fill(size int) ([]byte, error) {
	if cap(c.buf) > keepBuffer && size < keepBuffer {
		c.buf = make([]byte, keepBuffer)
	}
	for got := 0; got < size; {
		if got == len(c.buf) {
			grown := make([]byte, min(2*len(c.buf), MaxMessage))
			copy(grown, c.buf)
			c.buf = grown
		}
		n, err := io.ReadFull(c.reader, c.buf[got:min(size, len(c.buf))])
		got += n
		if err != nil {
			return nil, err
		}
	}
	return c.buf[:size], nil
}

// malformed breaks the connection: after a message that cannot be decoded, the next one cannot be
// found.
func (c *Conn) malformed(err error) error {
	c.broken = true
	return fmt.Errorf("%w: %w", ErrProtocol, err)
}

// unexpected breaks the connection over an answer of another type than the request's.
func (c *Conn) unexpected(tag byte) error {
	c.broken = true
	return fmt.Errorf("%w: an answer of type 0x%02x", ErrProtocol, tag)
}

// octets is an OCTET STRING.
func octets(s string) *ber.Packet {
	return ber.NewString(ber.ClassUniversal, ber.TypePrimitive, ber.TagOctetString, s, "")
}

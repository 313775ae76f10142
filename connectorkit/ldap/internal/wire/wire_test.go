package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"runtime"
	"testing"
	"time"

	ber "github.com/go-asn1-ber/asn1-ber"
	"github.com/google/go-cmp/cmp"
)

// pair is a Conn whose peer answers with the given bytes, whatever is asked, and then waits or hangs up.
func pair(t *testing.T, answer []byte, hangUp bool) *Conn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	near, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = near.Close(); _ = far.Close() })
	go func() {
		if _, err := ber.ReadPacket(far); err != nil {
			return
		}
		_, _ = far.Write(answer)
		if hangUp {
			_ = far.Close()
		}
		_, _ = io.Copy(io.Discard, far)
	}()
	return New(context.Background(), near, 200*time.Millisecond)
}

var success = []byte{0x30, 0x0C, 0x02, 0x01, 0x01, 0x61, 0x07, 0x0A, 0x01, 0x00, 0x04, 0x00, 0x04, 0x00}

func TestAnswersThatAreNoLDAPAreRefused(t *testing.T) {
	for name, answer := range map[string][]byte{
		"text":                   []byte("HTTP/1.1 400 Bad Request\r\n"),
		"indefinite length":      {0x30, 0x80, 0x02, 0x01, 0x01},
		"length of five bytes":   {0x30, 0x85, 1, 1, 1, 1, 1},
		"another answer":         {0x30, 0x0C, 0x02, 0x01, 0x01, 0x65, 0x07, 0x0A, 0x01, 0x00, 0x04, 0x00, 0x04, 0x00},
		"another request's":      {0x30, 0x0C, 0x02, 0x01, 0x07, 0x61, 0x07, 0x0A, 0x01, 0x00, 0x04, 0x00, 0x04, 0x00},
		"element beyond its end": {0x30, 0x0C, 0x02, 0x01, 0x01, 0x61, 0x27, 0x0A, 0x01, 0x00, 0x04, 0x00, 0x04, 0x00},
		"high tag number":        {0x30, 0x05, 0x02, 0x01, 0x01, 0x7F, 0x01},
		"empty message":          {0x30, 0x00},
	} {
		c := pair(t, answer, false)
		if err := c.Bind("cn=a", "secret"); !errors.Is(err, ErrProtocol) || !c.Broken() {
			t.Errorf("%s: %v, broken %v", name, err, c.Broken())
		}
	}
}

func TestAHugeMessageIsRefusedBeforeItIsRead(t *testing.T) {
	c := pair(t, []byte{0x30, 0x84, 0x7F, 0xFF, 0xFF, 0xFF}, false)
	if err := c.Bind("cn=a", "secret"); !errors.Is(err, ErrTooLarge) {
		t.Errorf("2 GiB: %v", err)
	}
	// A length just below the bound must not take the memory it announces.
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c = pair(t, []byte{0x30, 0x84, 0x00, 0xFF, 0xFF, 0xFF, 0x02}, true)
	err := c.Bind("cn=a", "secret")
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.ErrUnexpectedEOF) || after.TotalAlloc-before.TotalAlloc > 1<<20 {
		t.Errorf("16 MiB announced: %v with %d bytes allocated", err, after.TotalAlloc-before.TotalAlloc)
	}
}

func TestABindWithoutPasswordIsNeverSent(t *testing.T) {
	c := pair(t, success, false)
	if err := c.Bind("cn=a", ""); !errors.Is(err, ErrEmptyPassword) || c.Calls() != 0 {
		t.Errorf("Bind = %v after %d calls", err, c.Calls())
	}
	if err := c.Bind("", ""); err != nil {
		t.Errorf("anonymous bind: %v", err)
	}
}

func TestAFarewellTellsItsReason(t *testing.T) {
	notice := []byte{0x30, 0x0F, 0x02, 0x01, 0x00, 0x78, 0x0A, 0x0A, 0x01, 0x34, 0x04, 0x00, 0x04, 0x03, 'b', 'y', 'e'}
	var refused *ResultError
	if err := pair(t, notice, true).Bind("cn=a", "secret"); !errors.As(err, &refused) || refused.Code != 52 ||
		refused.Diagnostic != "bye" || refused.Op != "disconnect" {
		t.Errorf("Bind = %v", err)
	}
}

func TestSilenceEndsInATimeout(t *testing.T) {
	err := pair(t, nil, false).Bind("cn=a", "secret")
	var timeout net.Error
	if !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("Bind = %v", err)
	}
}

func TestDataInjectedBeforeTLSIsRefused(t *testing.T) {
	answer := append(
		[]byte{0x30, 0x0C, 0x02, 0x01, 0x01, 0x78, 0x07, 0x0A, 0x01, 0x00, 0x04, 0x00, 0x04, 0x00}, success...,
	)
	_, err := pair(t, answer, false).StartTLS(
		context.Background(), &tls.Config{ServerName: "x", MinVersion: tls.VersionTLS12},
	)
	if !errors.Is(err, ErrProtocol) {
		t.Errorf("StartTLS = %v", err)
	}
}

// done is the end of a search whose paging control has the given value.
func done(value []byte) []byte {
	control := append([]byte{0x04, byte(len(PagingOID))}, PagingOID...)
	control = append(append(control, 0x04, byte(len(value))), value...)
	controls := append([]byte{0x30, byte(len(control))}, control...)
	message := []byte{0x02, 0x01, 0x01, 0x65, 0x07, 0x0A, 0x01, 0x00, 0x04, 0x00, 0x04, 0x00, 0xA0, byte(len(controls))}
	message = append(message, controls...)
	return append([]byte{0x30, byte(len(message))}, message...)
}

func TestEntriesAndCookiesAreDecoded(t *testing.T) {
	entry := []byte{
		0x30, 0x1A, 0x02, 0x01, 0x01, 0x64, 0x15, 0x04, 0x04, 'c', 'n', '=', 'a', 0x30, 0x0D,
		0x30, 0x0B, 0x04, 0x02, 'c', 'n', 0x31, 0x05, 0x04, 0x01, 'a', 0x04, 0x00,
	}
	for _, tt := range []struct {
		name    string
		value   []byte
		want    Page
		wantErr error
	}{
		{
			"a cookie", []byte{0x30, 0x06, 0x02, 0x01, 0x00, 0x04, 0x01, 'c'},
			Page{Entries: 1, Paged: true, Cookie: []byte("c")}, nil,
		},
		{
			"an empty cookie", []byte{0x30, 0x05, 0x02, 0x01, 0x00, 0x04, 0x00},
			Page{Entries: 1, Paged: true, Cookie: []byte{}}, nil,
		},
		{"no cookie", []byte{0x30, 0x03, 0x02, 0x01, 0x00}, Page{Entries: 1}, ErrProtocol},
	} {
		var got []string
		page, err := pair(
			t, append(entry[:len(entry):len(entry)], done(tt.value)...), false,
		).Search(Request{Filter: "(cn=*)", PageSize: 5}, func(e *Entry) error {
			got = append(got, string(e.DN))
			for _, a := range e.Attributes {
				for _, v := range a.Values {
					got = append(got, string(a.Name)+"="+string(v))
				}
			}
			return nil
		})
		if diff := cmp.Diff([]string{"cn=a", "cn=a", "cn="}, got); diff != "" {
			t.Errorf("%s: entry (-want +got)\n%s", tt.name, diff)
		}
		if diff := cmp.Diff(tt.want, page); diff != "" || !errors.Is(err, tt.wantErr) {
			t.Errorf("%s: %v, page (-want +got)\n%s", tt.name, err, diff)
		}
	}
}

// FuzzDecode checks that no input makes the decoder panic or read beyond its bounds, and that what asn1-ber can read of
// entries it reads alike.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{
		0x04, 0x04, 'c', 'n', '=', 'a', 0x30, 0x0D, 0x30, 0x0B, 0x04, 0x02, 'c', 'n', 0x31, 0x05, 0x04, 0x01, 'a',
		0x04, 0x00,
	})
	f.Add([]byte{0x0A, 0x01, 0x31, 0x04, 0x00, 0x04, 0x03, 'b', 'y', 'e'})
	f.Add([]byte{0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF})
	f.Fuzz(func(t *testing.T, b []byte) {
		var e Entry
		var r Result
		_ = r.decode(b)
		_, _, _ = pagingCookie(b)
		if e.decode(b) != nil {
			return
		}
		whole := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
		whole.Data.Write(b)
		p, err := ber.DecodePacketErr(whole.Bytes())
		if err != nil {
			return // asn1-ber is stricter in places
		}
		if dn := p.Children[0].Data.String(); dn != string(e.DN) {
			t.Errorf("DN %q, asn1-ber reads %q", e.DN, dn)
		}
		if n := len(p.Children[1].Children); n != len(e.Attributes) {
			t.Errorf("%d attributes, asn1-ber reads %d", len(e.Attributes), n)
		}
	})
}

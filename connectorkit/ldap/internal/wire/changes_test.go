package wire

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tlv is an element of an encoded message.
func tlv(tag byte, parts ...[]byte) []byte {
	var value []byte
	for _, p := range parts {
		value = append(value, p...)
	}
	if len(value) > 0x7F {
		return append([]byte{tag, 0x82, byte(len(value) >> 8), byte(len(value))}, value...)
	}
	return append([]byte{tag, byte(len(value))}, value...)
}

func message(op []byte, controls ...[]byte) []byte {
	parts := [][]byte{{0x02, 0x01, 0x01}, op}
	if len(controls) > 0 {
		parts = append(parts, tlv(0xA0, controls...))
	}
	return tlv(0x30, parts...)
}

func controlOf(oid string, value []byte) []byte {
	return tlv(0x30, tlv(0x04, []byte(oid)), tlv(0x04, value))
}

func uuid(n byte) []byte { return append(make([]byte, 15), n) }

func shownAs(state byte, id []byte, dn string) []byte {
	return message(
		tlv(0x64, tlv(0x04, []byte(dn)), tlv(0x30)),
		controlOf(syncStateOID, tlv(0x30, []byte{0x0A, 0x01, state}, tlv(0x04, id))),
	)
}

func told(value []byte) []byte {
	return message(tlv(0x79, tlv(0x80, []byte(syncInfoOID)), tlv(0x81, value)))
}

func ended(code byte, controls ...[]byte) []byte {
	return message(tlv(0x65, []byte{0x0A, 0x01, code}, tlv(0x04), tlv(0x04)), controls...)
}

func join(list ...[]byte) (out []byte) {
	for _, b := range list {
		out = append(out, b...)
	}
	return out
}

var (
	cookie  = tlv(0x04, []byte("c1"))
	yes, no = []byte{0x01, 0x01, 0xFF}, []byte{0x01, 0x01, 0x00}
)

func TestASynchronisationIsTakenApart(t *testing.T) {
	for _, tt := range []struct {
		name    string
		answer  []byte
		want    SyncEnd
		events  []string
		wantErr error
	}{
		{
			"changes and what has gone",
			join(
				shownAs(1, uuid(1), "cn=a"), shownAs(3, uuid(2), "cn=b"),
				told(tlv(0xA3, cookie, yes, tlv(0x31, tlv(0x04, uuid(3)), tlv(0x04, uuid(4))))),
				ended(0, controlOf(syncDoneOID, tlv(0x30, cookie, yes))),
			),
			SyncEnd{Cookie: []byte("c1")}, []string{"1 1 cn=a", "3 2 cn=b", "gone 3", "gone 4"}, nil,
		},
		{
			"what is still there",
			join(
				told(tlv(0xA3, tlv(0x31, tlv(0x04, uuid(1))))), shownAs(0, uuid(2), "cn=b"),
				ended(0, controlOf(syncDoneOID, tlv(0x30, cookie))),
			),
			SyncEnd{Cookie: []byte("c1"), Present: true}, []string{"there 1", "0 2 cn=b"}, nil,
		},
		{
			"said by a message", join(told(tlv(0xA2, cookie, no)), ended(0, controlOf(syncDoneOID, tlv(0x30, yes)))),
			SyncEnd{Cookie: []byte("c1"), Present: true}, nil, nil,
		},
		{
			"a delete phase said by a message",
			join(told(tlv(0xA1, cookie)), ended(0, controlOf(syncDoneOID, tlv(0x30, yes)))),
			SyncEnd{Cookie: []byte("c1")}, nil, nil,
		},
		{
			"a new cookie", join(told(tlv(0x80, []byte("c2"))), ended(0, controlOf(syncDoneOID, tlv(0x30, yes)))),
			SyncEnd{Cookie: []byte("c2")}, nil, nil,
		},
		{
			"somebody else's message",
			join(
				message(tlv(0x79, tlv(0x80, []byte("1.2.3")), tlv(0x81, []byte("x")))),
				ended(0, controlOf(syncDoneOID, tlv(0x30, yes))),
			),
			SyncEnd{}, nil, nil,
		},
		{
			"an entry without its state", join(message(tlv(0x64, tlv(0x04, []byte("cn=a")), tlv(0x30))), ended(0)),
			SyncEnd{}, nil, ErrProtocol,
		},
		{"an end without its control", ended(0), SyncEnd{}, nil, ErrProtocol},
		{"a UUID too short", told(tlv(0xA3, tlv(0x31, tlv(0x04, []byte("short"))))), SyncEnd{}, nil, ErrProtocol},
		{"a state that there is not", shownAs(9, uuid(1), "cn=a"), SyncEnd{}, nil, ErrProtocol},
	} {
		var events []string
		end, err := pair(t, tt.answer, false).Sync(Request{Filter: "(cn=*)"}, []byte("c0"), SyncVisitor{
			Entry: func(e *Entry, state SyncState, id []byte) error {
				events = append(events, string(rune('0'+int(state)))+" "+string(rune('0'+id[15]))+" "+string(e.DN))
				return nil
			},
			IDs: func(ids [][]byte, gone bool) error {
				word := "there "
				if gone {
					word = "gone "
				}
				for _, id := range ids {
					events = append(events, word+string(rune('0'+id[15])))
				}
				return nil
			},
		})
		if !errors.Is(err, tt.wantErr) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.wantErr)
		}
		if diff := cmp.Diff(tt.events, events); diff != "" && tt.wantErr == nil {
			t.Errorf("%s: events (-want +got)\n%s", tt.name, diff)
		}
		if diff := cmp.Diff(tt.want, end); diff != "" && tt.wantErr == nil {
			t.Errorf("%s: end (-want +got)\n%s", tt.name, diff)
		}
	}
}

func TestARefreshThatIsRequiredIsAResult(t *testing.T) {
	answer := message(tlv(0x65, []byte{0x0A, 0x02, 0x10, 0x00}, tlv(0x04), tlv(0x04)))
	var refused *ResultError
	if _, err := pair(t, answer, false).Sync(
		Request{Filter: "(cn=*)"}, nil, SyncVisitor{},
	); !errors.As(err, &refused) || refused.Code != RefreshRequired {
		t.Errorf("Sync = %v", err)
	}
}

func TestARoundOfDirSyncIsTakenApart(t *testing.T) {
	value := func(more byte) []byte {
		return tlv(0x30, []byte{0x02, 0x01, more}, []byte{0x02, 0x01, 0x00}, cookie)
	}
	entry := message(tlv(0x64, tlv(0x04, []byte("cn=a")), tlv(0x30)))
	for _, tt := range []struct {
		name    string
		answer  []byte
		want    DirSyncPage
		wantErr error
	}{
		{
			"more to come", join(entry, ended(0, controlOf(DirSyncOID, value(1)))),
			DirSyncPage{Entries: 1, Cookie: []byte("c1"), More: true}, nil,
		},
		{"the last", ended(0, controlOf(DirSyncOID, value(0))), DirSyncPage{Cookie: []byte("c1")}, nil},
		{"no control", ended(0), DirSyncPage{}, ErrProtocol},
		{
			"half a control", ended(0, controlOf(DirSyncOID, tlv(0x30, []byte{0x02, 0x01, 0x00}))), DirSyncPage{},
			ErrProtocol,
		},
	} {
		got, err := pair(t, tt.answer, false).DirSync(Request{
			Filter: "(cn=*)",
		}, DirSyncIncrementalValues, nil, func(*Entry) error {
			return nil
		})
		if !errors.Is(err, tt.wantErr) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.wantErr)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" && tt.wantErr == nil {
			t.Errorf("%s: (-want +got)\n%s", tt.name, diff)
		}
	}
}

// TestElementsWithinElementsAreNotFollowedDown has as many levels as fit into a message: the decoder knows
// beforehand how deep the parts it wants lie, and so needs no cap on nesting.
func TestElementsWithinElementsAreNotFollowedDown(t *testing.T) {
	deep := make([]byte, 0, 4<<20)
	for size := 4<<20 - 8; size > 4; size -= 5 {
		deep = append(deep, 0x30, 0x83, byte(size>>16), byte(size>>8), byte(size))
	}
	var e Entry
	var r Result
	var p DirSyncPage
	s := synchronisation{visitor: SyncVisitor{IDs: func([][]byte, bool) error { return nil }}}
	for name, err := range map[string]error{
		"entry": e.decode(deep), "result": r.decode(deep), "dirsync": p.decode(deep), "info": s.info(deep),
		"done": s.done(deep), "state": s.entry(&e, deep),
	} {
		if err == nil && name != "info" {
			t.Errorf("%s: nested elements were taken for one", name)
		}
	}
}

// FuzzChanges checks that no answer makes the decoders of changes panic or read beyond its bounds.
func FuzzChanges(f *testing.F) {
	f.Add(tlv(0xA0, controlOf(syncStateOID, tlv(0x30, []byte{0x0A, 0x01, 0x01}, tlv(0x04, uuid(1)))))[2:])
	f.Add(tlv(0xA0, controlOf(syncDoneOID, tlv(0x30, cookie, yes)))[2:])
	f.Add(tlv(0xA0, controlOf(DirSyncOID, tlv(0x30, []byte{0x02, 0x01, 0x00}, []byte{0x02, 0x01, 0x00}, cookie)))[2:])
	f.Add(join(tlv(0x80, []byte(syncInfoOID)), tlv(0x81, tlv(0xA3, cookie, no, tlv(0x31, tlv(0x04, uuid(3)))))))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := synchronisation{visitor: SyncVisitor{
			Entry: func(_ *Entry, state SyncState, id []byte) error {
				if len(id) != 16 || state < SyncPresent || state > SyncDelete {
					t.Errorf("state %d, UUID of %d bytes", state, len(id))
				}
				return nil
			},
			IDs: func(ids [][]byte, _ bool) error {
				for _, id := range ids {
					if len(id) != 16 {
						t.Errorf("a UUID of %d bytes", len(id))
					}
				}
				return nil
			},
		}}
		var p DirSyncPage
		_, _, _, _ = s.info(b), s.done(b), s.entry(&Entry{}, b), p.decode(b)
	})
}

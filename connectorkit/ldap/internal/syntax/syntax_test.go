package syntax_test

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
)

func TestTimesOfActiveDirectoryAreRead(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want string
	}{
		{"116444736000000000", "1970-01-01T00:00:00Z"},
		{"132223104000000000", "2020-01-01T00:00:00Z"},
		{"132223104001234567", "2020-01-01T00:00:00.1234567Z"},
		{"0", ""}, {"9223372036854775807", ""}, {"-1", ""}, {"soon", ""}, {"", ""},
		{"9223372036854775806", ""},
	} {
		got, ok := syntax.ParseFiletime(tt.in)
		if ok != (tt.want != "") || ok && got.Format(time.RFC3339Nano) != tt.want {
			t.Errorf("ParseFiletime(%q) = %s, %v; want %q", tt.in, got, ok, tt.want)
		}
	}
}

func TestGeneralizedTimesAreRead(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"20260704123456Z", "2026-07-04T12:34:56Z"},
		{"20260704123456.0Z", "2026-07-04T12:34:56Z"},
		{"20260704123456.5Z", "2026-07-04T12:34:56.5Z"},
		{"20260704123456,25Z", "2026-07-04T12:34:56.25Z"},
		{"202607041230Z", "2026-07-04T12:30:00Z"},
		{"2026070412.5Z", "2026-07-04T12:30:00Z"},
		{"20260704123456+0200", "2026-07-04T10:34:56Z"},
		{"20260704123456-0330", "2026-07-04T16:04:56Z"},
		{"20260704123456+02", "2026-07-04T10:34:56Z"},
		{"20260704123456", "2026-07-04T12:34:56Z"},
		{"20261231235960Z", "2027-01-01T00:00:00Z"},
		{"000001010000Z", ""}, {"20260231000000Z", ""}, {"20261304000000Z", ""}, {"2026", ""}, {"20260704123456.Z", ""},
		{"20260704123456X", ""}, {"20260704123456+2", ""}, {"", ""}, {"Z", ""},
	} {
		got, ok := syntax.ParseGeneralizedTime(tt.in)
		if ok != (tt.want != "") || ok && got.Format(time.RFC3339Nano) != tt.want {
			t.Errorf("ParseGeneralizedTime(%q) = %s, %v; want %q", tt.in, got, ok, tt.want)
		}
	}
}

func TestGUIDsAndSIDsAreWrittenAsWindowsWritesThem(t *testing.T) {
	guid, _ := hex.DecodeString("33221100554477668899aabbccddeeff")
	if got, ok := syntax.FormatGUID(guid); !ok || got != "00112233-4455-6677-8899-aabbccddeeff" {
		t.Errorf("FormatGUID = %q, %v", got, ok)
	}
	if got, ok := syntax.FormatGUID(guid[:15]); ok {
		t.Errorf("FormatGUID of 15 bytes = %q", got)
	}
	sid, _ := hex.DecodeString("010500000000000515000000a065cf7e784b9b5fe77c8770091c0100")
	if got, ok := syntax.FormatSID(sid); !ok || got != "S-1-5-21-2127521184-1604012920-1887927527-72713" {
		t.Errorf("FormatSID = %q, %v", got, ok)
	}
	if got, ok := syntax.FormatSID(sid[:20]); ok {
		t.Errorf("FormatSID of a short value = %q", got)
	}
}

func TestAccountControlIsTakenApart(t *testing.T) {
	for in, want := range map[string]syntax.UAC{
		"512":         {},
		"514":         {Disabled: true},
		"66050":       {Disabled: true, PasswordNeverExpires: true},
		"4096":        {Trust: true},
		"8388624":     {LockedOut: true, PasswordExpired: true},
		"-2147483646": {Disabled: true},
	} {
		got, ok := syntax.ParseUAC(in)
		if diff := cmp.Diff(want, got); !ok || diff != "" {
			t.Errorf("ParseUAC(%s): %v (-want +got)\n%s", in, ok, diff)
		}
	}
	if _, ok := syntax.ParseUAC("x"); ok {
		t.Error("ParseUAC(x) succeeded")
	}
}

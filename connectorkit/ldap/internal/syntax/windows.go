package syntax

import (
	"strconv"
	"unicode/utf16"
)

// QuotePassword is a password as Active Directory takes it (MS-ADTS section 3.1.1.3.1.5).
func QuotePassword(p string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(`"` + p + `"`)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

// Bits of userAccountControl and msDS-User-Account-Control-Computed (MS-ADTS section 2.2.16).
const (
	UACDisabled           = 0x2
	uacLockout            = 0x10
	UACNormal             = 0x200
	UACSmartcard          = 0x40000
	uacTrust              = 0x800 | 0x1000 | 0x2000 // accounts of machines and domains
	uacPasswordNeverEnds  = 0x10000
	uacPasswordExpired    = 0x800000
	filetimeUnixEpoch     = 116444736000000000 // 1970-01-01 in units of 100 ns since 1601-01-01
	filetimeTicksInSecond = 10_000_000
)

// UAC is the decoded userAccountControl of an Active Directory account.
type UAC struct {
	Disabled             bool
	LockedOut            bool // only in the computed attribute
	PasswordExpired      bool // only in the computed attribute
	PasswordNeverExpires bool
	Trust                bool // an account of a machine or a trusted domain
}

// ParseUAC decodes userAccountControl, which the directory writes as a signed decimal.
func ParseUAC(s string) (UAC, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return UAC{}, false
	}
	return UAC{
		Disabled: n&UACDisabled != 0, LockedOut: n&uacLockout != 0, PasswordExpired: n&uacPasswordExpired != 0,
		PasswordNeverExpires: n&uacPasswordNeverEnds != 0, Trust: n&uacTrust != 0,
	}, true
}

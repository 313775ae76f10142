package totp_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/record/auth/totp"
)

// The secret of RFC 6238's appendix B for SHA-1.
var secret = []byte("12345678901234567890")

func TestCodesAreThoseOfTheStandard(t *testing.T) {
	// The last six of the eight digits in RFC 6238, appendix B.
	for at, want := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037",
		20000000000: "353130",
	} {
		if got := totp.Code(secret, totp.Step(time.Unix(at, 0))); got != want {
			t.Errorf("the code at %d is %s; want %s", at, got, want)
		}
	}
	// RFC 4226, appendix D.
	for step, want := range []string{"755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583",
		"399871", "520489"} {
		if got := totp.Code(secret, int64(step)); got != want {
			t.Errorf("the code of counter %d is %s; want %s", step, got, want)
		}
	}
}

func TestACodeIsGoodForItsStepAndItsNeighboursAndOnce(t *testing.T) {
	now := time.Unix(1111111111, 0)
	own := totp.Step(now)
	tests := []struct {
		name  string
		step  int64 // of the code
		last  int64
		found bool
	}{
		{"this step", own, 0, true},
		{"the one before", own - 1, 0, true},
		{"the one after", own + 1, 0, true},
		{"two before", own - 2, 0, false},
		{"two after", own + 2, 0, false},
		{
			"used",
			own,
			own,
			false,
		},
		{"older than one that was used", own - 1, own, false},
		{"the one after the used one", own + 1, own, true},
	}
	for _, tt := range tests {
		step, ok := totp.Match(secret, totp.Code(secret, tt.step), now, tt.last)
		if ok != tt.found || ok && step != tt.step {
			t.Errorf("%s: step %d, %v; want %v", tt.name, step, ok, tt.found)
		}
	}
	for _, code := range []string{"", "05047", "0504711", "05047 ", "O50471", "050471\x00", "-50471"} {
		if _, ok := totp.Match(secret, code, now, 0); ok || totp.Looks(code) {
			t.Errorf("%q is taken for a code", code)
		}
	}
}

func TestNoCodeWorksTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now, last := time.Unix(rapid.Int64Range(100, 1<<33).Draw(t, "now"), 0), int64(0)
		used := map[int64]bool{}
		for range 20 {
			now = now.Add(time.Duration(rapid.IntRange(-40, 40).Draw(t, "passed")) * time.Second)
			code := totp.Code(secret, totp.Step(now)+rapid.Int64Range(-3, 3).Draw(t, "off"))
			step, ok := totp.Match(secret, code, now, last)
			if ok && used[step] {
				t.Fatalf("the code of step %d worked twice", step)
			}
			if ok {
				used[step], last = true, step
			}
		}
	})
}

func TestTheAddressHoldsWhatAnAppNeeds(t *testing.T) {
	got := totp.URI(secret, "Grant wright", "ada+x@example.com")
	const want = "otpauth://totp/Grant%20wright:ada+x@example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Grant%20wright&algorithm=SHA1&digits=6&period=30"
	if got != want {
		t.Errorf("URI = %s\nwant %s", got, want)
	}
	if a, b := totp.NewSecret(), totp.NewSecret(); len(a) != 20 || string(a) == string(b) ||
		strings.Contains(totp.Text(a), "=") {
		t.Errorf("secrets %x and %x", a, b)
	}
}

package password_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/password"
)

func TestWeakPasswordsAreRefusedAndLongOnesAreNot(t *testing.T) {
	tests := []struct{ plain, want string }{
		{"elevenchars", "too_short"},
		{"twelve chars", ""},
		{
			"e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301",
			"too_short",
		}, // eleven letters in twenty-two code points
		{strings.Repeat("ab¢", 85) + "x", ""}, // 256
		{strings.Repeat("ab¢", 85) + "xy", "too_long"},
		{strings.Repeat("x", 5000), "too_long"},
		{"password1234", "too_common"},
		{"Password123!", "too_common"},
		{"PASSWORDPASSWORD", "too_common"},
		{"123456789012", "too_common"},
		{"987654321098", "too_common"},
		{"aaaaaaaaaaaa", "too_common"},
		{"abcdefghijkl", "too_common"},
		{"administrator", "too_common"},
		{"Ada@Example.com", "too_common"},
		{"1qaz2wsx3edc", "too_common"},   // of the published list
		{"leaveMEalone", "too_common"},   // the same, in other letters
		{"dragon123456", "too_common"},   // a short one with digits behind it
		{"monkeymonkey", "too_common"},   // a short one twice
		{"shadowshadow!!", "too_common"}, // and with marks
		{"mustang and dragon", ""},       // two of them are a phrase
		{"correct horse battery staple", ""},
		{"пароль на двенадцать", ""},
	}
	for _, tt := range tests {
		err := password.Check(tt.plain, "ada@example.com")
		got := ""
		if f := (*fault.Fault)(nil); errors.As(err, &f) {
			got = f.Fields[0].Code
			if strings.Contains(f.Message+f.Fields[0].Detail, tt.plain) {
				t.Errorf("the message quotes %q", tt.plain)
			}
		}
		if got != tt.want {
			t.Errorf("Check(%.30q) = %q; want %q", tt.plain, got, tt.want)
		}
	}
}

func TestAPasswordMatchesItsOwnHashAlone(t *testing.T) {
	const plain = "caf\u00e9 au lait, s'il vous pla\u00eet"
	stored := password.Hash(plain)
	if !strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$") || strings.Contains(stored, "lait") {
		t.Errorf("stored form = %s", stored)
	}
	decomposed := strings.ReplaceAll(plain, "\u00e9", "e\u0301")
	tests := []struct {
		stored, plain string
		ok, outdated  bool
	}{
		{stored, plain, true, false},
		{stored, decomposed, true, false},
		{stored, plain + " ", false, false},
		{stored, "", false, false},
		{password.Nobody(), plain, false, false},
	}
	for _, tt := range tests {
		ok, outdated, err := password.Verify(tt.stored, tt.plain)
		if ok != tt.ok || outdated != tt.outdated || err != nil {
			t.Errorf(
				"Verify(%.20s, %q) = %v, %v, %v; want %v, %v",
				tt.stored,
				tt.plain,
				ok,
				outdated,
				err,
				tt.ok,
				tt.outdated,
			)
		}
	}
	for _, broken := range []string{"", "x", "$argon2i$v=19$m=8,t=1,p=1$AAAA$AAAA",
		strings.Replace(stored, "m=19456", "m=999999999", 1), strings.Replace(stored, "v=19", "v=16", 1), stored +
			"$"} {
		if ok, _, err := password.Verify(broken, plain); ok || err == nil {
			t.Errorf("Verify(%.30q) = %v, %v; want an error", broken, ok, err)
		}
	}
}

func TestAHashOfAnotherCostIsOutdated(t *testing.T) {
	// RFC 9106 has no PHC vector; this one is from the reference implementation's tests (argon2id, m=65536, t=2, p=1).
	const stored = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	if ok, outdated, err := password.Verify(stored, "password"); !ok || !outdated || err != nil {
		t.Errorf("Verify = %v, %v, %v; want true, true", ok, outdated, err)
	}
}

func TestAFullDeskSendsPeopleAwayInsteadOfFillingTheMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		desk := password.NewDesk()
		var inside, most, done, away atomic.Int64
		release := make(chan struct{})
		var wg sync.WaitGroup
		for range 500 {
			wg.Go(func() {
				err := desk.Do(context.Background(), func() error {
					most.Store(max(most.Load(), inside.Add(1)))
					<-release
					inside.Add(-1)
					return nil
				})
				switch {
				case err == nil:
					done.Add(1)
				case fault.IsCode(err, "temporarily_overloaded"):
					away.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		places := most.Load()
		if n := away.Load(); n != 500-64-places {
			t.Errorf("%d were sent away at once with %d places; want all but the 64 who wait", n, places)
		}
		close(release)
		wg.Wait()
		if done.Load() != 64+places {
			t.Errorf("%d were served; want %d", done.Load(), 64+places)
		}
	})
}

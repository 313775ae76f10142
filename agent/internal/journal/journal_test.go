package journal_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/agent/internal/journal"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// clock is a time that the test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func open(t *testing.T, path string, c *clock) *journal.Journal {
	t.Helper()
	j, err := journal.Open(path, c.now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func begin(t *testing.T, j *journal.Journal, key string) *v1.ProvisionResponse {
	t.Helper()
	answer, err := j.Begin(key)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func applied() *v1.ProvisionResponse {
	mail := "ada@example.org"
	return &v1.ProvisionResponse{
		Success: true, Outcome: v1.OutcomeApplied, Verified: true,
		Account: &v1.RemoteAccount{ExternalID: "42", Email: &mail, Attributes: map[string]any{"phone": "0301234"}},
	}
}

func TestAChangeThatIsSentAgainIsAnsweredAndNotMadeAgain(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "journal"), &clock{time.Now()}
	j := open(t, path, c)
	if a := begin(t, j, "k"); a != nil {
		t.Fatalf("a new key was answered: %+v", a)
	}
	if err := j.End("k", applied()); err != nil {
		t.Fatal(err)
	}
	for _, again := range []*journal.Journal{j, open(t, path, c)} {
		a := begin(t, again, "k")
		if a == nil || !a.Replayed || a.Outcome != v1.OutcomeApplied || a.Account.ExternalID != "42" {
			t.Errorf("answered with %+v", a)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(data); strings.Contains(text, "ada@") || strings.Contains(text, "0301234") {
		t.Errorf("the journal keeps what an account is like: %s", text)
	}
}

func TestAChangeThatACrashCutOffIsUnknownOnceAndMayThenBeSent(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "journal"), &clock{time.Now()}
	begin(t, open(t, path, c), "k")
	j := open(t, path, c) // the process that began it is gone
	if a := begin(
		t,
		j,
		"k",
	); a == nil || a.Success || a.Outcome != v1.OutcomeUnknown ||
		a.ErrorDetail.Code != "interrupted" {
		t.Errorf("answered with %+v; want unknown", a)
	}
	if a := begin(t, j, "k"); a != nil {
		t.Errorf("answered with %+v after it was said to be unknown", a)
	}
}

func TestAChangeThatIsRefusedMayBeTriedAgain(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "journal"), &clock{time.Now()}
	j := open(t, path, c)
	begin(t, j, "k")
	if _, err := j.Begin("k"); !errors.Is(err, journal.ErrRunning) {
		t.Errorf("the same change at the same time: %v; want ErrRunning", err)
	}
	if err := j.End("k", nil); err != nil {
		t.Fatal(err)
	}
	for _, again := range []*journal.Journal{open(t, path, c), j} {
		if a := begin(t, again, "k"); a != nil {
			t.Errorf("answered with %+v", a)
		}
	}
}

func TestAChangeThatWasGivenUpIsUnknown(t *testing.T) {
	j := open(t, filepath.Join(t.TempDir(), "journal"), &clock{time.Now()})
	begin(t, j, "k")
	j.Loosen("k")
	if a := begin(t, j, "k"); a == nil || a.Outcome != v1.OutcomeUnknown {
		t.Errorf("answered with %+v; want unknown", a)
	}
}

func TestTheJournalForgetsAfterADayAndStaysSmall(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "journal"), &clock{time.Now()}
	j := open(t, path, c)
	for i := range 20 {
		key := fmt.Sprint(i)
		begin(t, j, key)
		if err := j.End(key, applied()); err != nil {
			t.Fatal(err)
		}
	}
	c.at = c.at.Add(journal.Keep + time.Minute)
	if a := begin(t, open(t, path, c), "3"); a != nil {
		t.Errorf("answered with %+v after a day", a)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 200 {
		t.Errorf("the file has %d bytes, %v; want one line", info.Size(), err)
	}
}

func TestALineThatWasCutOffIsNoLine(t *testing.T) {
	path, c := filepath.Join(t.TempDir(), "journal"), &clock{time.Now()}
	j := open(t, path, c)
	begin(t, j, "k")
	if err := j.End("k", applied()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	if a := begin(t, open(t, path, c), "k"); a == nil || a.Outcome != v1.OutcomeUnknown {
		t.Errorf("answered with %+v; want unknown, for its end was not written", a)
	}
}

package status_test

import (
	"slices"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/status"
)

func TestOnlyLiveMessagesAreClaimed(t *testing.T) {
	if got := status.From(status.Claimed); !slices.Equal(got, []string{"queued", "sending", "deferred"}) {
		t.Errorf("claimed from %v", got)
	}
}

func TestNothingHappensToAMessageThatWasSent(t *testing.T) {
	for _, e := range []status.Event{status.Claimed, status.Accepted, status.Retry, status.Rejected, status.Refused,
		status.Expired, status.Resent} {
		if next, possible := status.Sent.Next(e); possible {
			t.Errorf("%s makes it %s", e, next)
		}
	}
}

func TestEveryEndedMessageButASentOneCanBeResent(t *testing.T) {
	for _, s := range status.States {
		_, possible := s.Next(status.Resent)
		if want := s.Ended() && s != status.Sent || s == status.Deferred; possible != want {
			t.Errorf("%s: %v", s, possible)
		}
	}
}

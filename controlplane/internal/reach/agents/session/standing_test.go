package session

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/protocol/wire"
)

func TestAConnectionWhoseTokenWasRevokedIsAskedToRenew(t *testing.T) {
	t.Parallel()
	admitted := Admission{IdentityKey: []byte("key"), TokenEpoch: 1}
	s := New(nil, admitted, "", Options{Timing: agents.DefaultTiming()})
	for name, tt := range map[string]struct {
		now  Standing
		code int
	}{
		"the same epoch":  {Standing{State: agents.Registered, Open: true, Tokens: 1, Key: []byte("key")}, 0},
		"a greater epoch": {Standing{State: agents.Registered, Open: true, Tokens: 2, Key: []byte("key")}, wire.CloseToken},
		"another key":     {Standing{State: agents.Registered, Open: true, Tokens: 2, Key: []byte("new")}, wire.CloseRevoked},
	} {
		if code, _ := s.ending(tt.now); code != tt.code {
			t.Errorf("%s: closed with %d; want %d", name, code, tt.code)
		}
	}
}

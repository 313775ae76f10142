package mail

import (
	"testing"

	"github.com/grantwright/grantwright/e2e/harness"
)

func TestNotificationsReachServersOfOthers(t *testing.T) {
	tokens, certs := grantTokens(t), certify(t)
	h := harness.Open(t)
	t.Run("misbehavior", func(t *testing.T) { misbehavior(t, h) })
	t.Run("hostile texts", func(t *testing.T) { hostile(t, h) })
	t.Run("postfix", func(t *testing.T) { throughPostfix(t, h, certs, tokens.URL) })
	t.Run("locked", func(t *testing.T) { locked(t, h, certs, tokens) })
}

func TestLinksOfMailsChangeNothing(t *testing.T) {
	t.Parallel()
	links(t)
}

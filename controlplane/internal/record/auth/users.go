package auth

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Forget drops what is remembered of a user's sessions and of the tokens that stand on their rights, so that in this
// process a change of theirs works at once.
func (s *Service) Forget(tenantID, userID string) {
	s.ForgetUser(tenantID, userID)
	s.ForgetServiceTokens()
}

// EndSessions ends all sessions of a user of the transaction's tenant, and returns how many there were.
func (s *Service) EndSessions(ctx context.Context, tx *pg.Tx, userID, reason string) (int64, error) {
	return s.Sessions.End(ctx, tx, userID, "", reason)
}

// WithdrawLinks makes the sign-in links of a user useless.
func (s *Service) WithdrawLinks(ctx context.Context, tx *pg.Tx, userID string) error {
	return s.Passwords.WithdrawLinks(ctx, tx, userID)
}

// IssueSignInLink makes the token of a one-time link by which the user sets a password. It works once, for an hour.
// A link that the user had before does not work any more.
func (s *Service) IssueSignInLink(ctx context.Context, tx *pg.Tx, userID string) (token string, err error) {
	return s.Passwords.IssueSignInLink(ctx, tx, userID)
}

// IssueSignInLinks is IssueSignInLink for many users, in sets. The links work for life.
func (s *Service) IssueSignInLinks(
	ctx context.Context,
	tx *pg.Tx,
	userIDs []string,
	life time.Duration,
) (map[string]string, error) {
	return s.Passwords.IssueSignInLinks(ctx, tx, userIDs, life)
}

// EndUsers withdraws the sign-in links of many users and ends their sessions.
func (s *Service) EndUsers(ctx context.Context, tx *pg.Tx, userIDs []string, reason string) error {
	if err := s.Passwords.WithdrawLinksOf(ctx, tx, userIDs); err != nil {
		return err
	}
	return s.Sessions.EndOf(ctx, tx, userIDs, reason)
}

package factor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/digest"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/passkey"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/totp"
)

// Six digits are few: after this many wrong ones nobody tries again until the time is over, from wherever they come.
const (
	factorFailures = 5
	factorPause    = 15 * time.Minute
)

// recoveryCodes is how many codes a user gets.
const recoveryCodes = 10

// factor is a user's second factor.
type factor struct {
	// sealed is the secret; confirmed says that the user has shown a code of it; lastStep is the
	// time step of the last code, so that each code works once.
	sealed    []byte
	confirmed bool
	lastStep  int64
	failures  int
	failedAt  *time.Time
}

// factorPlace is where the secret is sealed for: in another row it cannot be opened.
func factorPlace(user string) seal.Place {
	return seal.Place{Table: "second_factor", Column: "secret", Row: user}
}

// lockFactor reads a user's second factor and keeps others from using it: parallel guesses come one after the other. It
// returns nil when there is none.
func lockFactor(ctx context.Context, tx *pg.Tx, user string) (*factor, error) {
	const sql = `
		select secret, confirmed_at is not null, last_step, failures, failed_at
		  from second_factor
		 where user_id = $1
		   for update`
	var f factor
	err := tx.QueryRow(ctx, sql, user).Scan(&f.sealed, &f.confirmed, &f.lastStep, &f.failures, &f.failedAt)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("find second factor: %w", err)
	}
	return &f, nil
}

// Methods of a second factor, as responses name them.
const (
	TOTP    = "totp"
	Passkey = "passkey"
)

// Given is what a sign-in gives as its second factor: a code, a passkey whose challenge is used up, or neither.
type Given struct {
	Code    string
	Passkey *passkey.Given
}

// Check asks for the second factor of a user who has one, and returns the method that was used (used), or an empty
// string if the user has none. A refusal (otp_required, invalid_otp, invalid_passkey, login_throttled) is no error:
// what it has counted must be committed.
func (s *Service) Check(ctx context.Context, tx *pg.Tx, user string, g Given) (used string, refused, err error) {
	f, err := lockFactor(ctx, tx, user)
	if err != nil {
		return "", nil, err
	}
	keys, err := passkey.Count(ctx, tx, user)
	if err != nil {
		return "", nil, err
	}
	totp := f != nil && f.confirmed
	switch {
	case !totp && keys == 0:
		return "", nil, nil
	case g.Passkey != nil:
		refused, err = s.Passkeys.Use(ctx, tx, user, g.Passkey)
		return Passkey, refused, err
	case strings.TrimSpace(g.Code) == "":
		return "", required(totp, keys > 0), nil
	case !totp:
		return TOTP, wrongCode(), nil // there is no code that could be guessed
	}
	refused, err = s.tryCode(ctx, tx, user, f, g.Code)
	return TOTP, refused, err
}

// required is the fault that asks for the second factor, with the methods that the user has.
func required(totp, keys bool) error {
	methods, words := []string{}, []string{}
	if totp {
		methods, words = append(methods, TOTP), append(words, "the code of its second factor as otp")
	}
	if keys {
		methods, words = append(methods, Passkey), append(words, "one of its passkeys as passkey")
	}
	return fault.Coded(
		fault.Unauthenticated,
		"otp_required",
		"the password is right; this account also needs %s", strings.Join(words, " or "),
	).Also("methods", methods)
}

// wrongCode is the fault for a wrong code. It does not say whether the code was wrong or used.
func wrongCode() error {
	return fault.Coded(fault.Unauthenticated, "invalid_otp", "the code is not right, or was used before; wait for "+
		"the next one").
		With(fault.Field{Pointer: "#/otp", Code: "invalid", Detail: "give the code that your authenticator shows " +
			"now, or a recovery code"})
}

// tryCode uses a code up, or counts a failure.
func (s *Service) tryCode(ctx context.Context, tx *pg.Tx, user string, f *factor, code string) (refused, err error) {
	now := s.Now()
	recent := f.failedAt != nil && now.Sub(*f.failedAt) < factorPause
	if recent && f.failures >= factorFailures {
		wait := fault.Coded(fault.TooMany, "login_throttled", "too many wrong codes; wait before the next one")
		wait.RetryAfter = f.failedAt.Add(factorPause).Sub(now)
		return wait, nil
	}
	ok, err := s.useCode(ctx, tx, user, f, code)
	if err != nil || ok {
		return nil, err
	}
	if !recent {
		f.failures = 0
	}
	const sql = `update second_factor set failures = $2, failed_at = $3 where user_id = $1`
	if err := pg.Exec(ctx, tx, "count a wrong code", sql, user, f.failures+1, now); err != nil {
		return nil, err
	}
	return wrongCode(), nil
}

// useCode checks a code of the authenticator or a recovery code, and uses it up. The step of the
// code is stored, which refuses the same code afterwards (RFC 6238 section 5.2).
func (s *Service) useCode(ctx context.Context, tx *pg.Tx, user string, f *factor, code string) (bool, error) {
	plain := strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(code))
	if !totp.Looks(plain) {
		return s.useRecovery(ctx, tx, user, plain)
	}
	secret, err := s.Seal.Open(ctx, tx, factorPlace(user), f.sealed)
	if err != nil {
		return false, fmt.Errorf("open second factor: %w", err)
	}
	step, ok := totp.Match(secret, plain, s.Now(), f.lastStep)
	if !ok {
		return false, nil
	}
	const sql = `update second_factor set last_step = $2, failures = 0 where user_id = $1`
	if err := pg.Exec(ctx, tx, "use a code", sql, user, step); err != nil {
		return false, err
	}
	return true, nil
}

// useRecovery uses up a recovery code. The user's tenant hears of it: it is how a thief of a piece of paper comes in.
func (s *Service) useRecovery(ctx context.Context, tx *pg.Tx, user, plain string) (bool, error) {
	const sql = `
		update recovery_code
		   set used_at = $3
		 where user_id = $1
		   and code_hash = $2
		   and used_at is null`
	done, err := tx.Exec(ctx, sql, user, recoveryHash(user, plain), s.Now())
	if err != nil {
		return false, fmt.Errorf("use a recovery code: %w", err)
	}
	if done.RowsAffected() == 0 {
		return false, nil
	}
	if err := pg.Exec(
		ctx,
		tx,
		"use a recovery code",
		`update second_factor set failures = 0 where user_id = $1`,
		user,
	); err != nil {
		return false, err
	}
	return true, audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "auth.recovery_used", Subject: audit.Subject{Type: "user", ID: user}},
	)
}

// recoveryHash is what is stored of a recovery code. Codes are random, so a plain hash suffices.
func recoveryHash(user, plain string) []byte {
	return digest.Of("recovery", user, strings.ToUpper(plain))
}

// newRecoveryCodes makes the codes of a factor anew and returns them as people write them down: 80 bits in four groups.
func newRecoveryCodes(ctx context.Context, tx *pg.Tx, user string) ([]string, error) {
	codes, hashes := make([]string, recoveryCodes), make([][]byte, recoveryCodes)
	for i := range codes {
		t := rand.Text()[:16]
		codes[i] = t[:4] + "-" + t[4:8] + "-" + t[8:12] + "-" + t[12:]
		hashes[i] = recoveryHash(user, t)
	}
	const sql = `
		insert into recovery_code (tenant_id, user_id, code_hash)
		select current_tenant(), $1, h
		  from unnest($2::bytea[]) h`
	if err := pg.Exec(ctx, tx, "keep recovery codes", sql, user, hashes); err != nil {
		return nil, err
	}
	return codes, nil
}

// StatusOf reports whether a user has a second factor, and how many recovery codes are left.
func StatusOf(ctx context.Context, tx *pg.Tx, user string) (*Factor, error) {
	const sql = `
		select exists (select from second_factor where user_id = $1 and confirmed_at is not null),
		       (select count(*) from recovery_code where user_id = $1 and used_at is null),
		       (select count(*) from passkey where user_id = $1)`
	var f Factor
	if err := tx.QueryRow(ctx, sql, user).Scan(&f.TOTP, &f.RecoveryCodesLeft, &f.Passkeys); err != nil {
		return nil, fmt.Errorf("look at the second factor: %w", err)
	}
	return &f, nil
}

// Reset removes a user's second factor and passkeys for an administrator, when the user has lost them, and records
// that. It reports whether there were any.
func Reset(ctx context.Context, tx *pg.Tx, userID string) (bool, error) {
	had, err := dropFactor(ctx, tx, userID)
	if err != nil {
		return false, err
	}
	keys, err := passkey.RemoveAll(ctx, tx, userID, "mfa_reset")
	if err != nil || !had && keys == 0 {
		return false, err
	}
	return true, audit.Record(ctx, tx, audit.Entry{
		Action:  "auth.mfa_reset",
		Subject: audit.Subject{Type: "user", ID: userID},
		Context: map[string]any{"totp": had, "passkeys": keys},
	})
}

// dropFactor removes a second factor, and says whether there was one.
func dropFactor(ctx context.Context, tx *pg.Tx, user string) (bool, error) {
	done, err := tx.Exec(ctx, `delete from second_factor where user_id = $1`, user)
	if err != nil {
		return false, fmt.Errorf("remove second factor: %w", err)
	}
	return done.RowsAffected() > 0, nil
}

// Factor says whether a second factor is asked for.
type Factor struct {
	// A code is asked for at each sign-in with a password.
	TOTP bool `json:"totp"`
	// Number of unused recovery codes.
	RecoveryCodesLeft int `json:"recovery_codes_left"`
	// Number of passkeys. With at least one, a sign-in with a password needs a second factor.
	Passkeys int `json:"passkeys"`
}

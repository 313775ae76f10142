package throttle

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/text/unicode/norm"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/limit/network"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/digest"
)

// The limits of failed sign-ins. They are counted in the database, for all processes together.
const (
	burst        = 5                // failures of one account from one network …
	burstWindow  = 15 * time.Minute // … within this time close it for as long, …
	longestBlock = 4 * time.Hour    // … and for twice as long each further time, up to this
	memoryOf     = 24 * time.Hour

	accountLimit  = 50 // failures of one account from everywhere
	accountWindow = time.Hour
	networkLimit  = 20 // failures from one address, or one /64
	networkWindow = time.Minute

	// A network from which an account signed in within this time is known: only the failures of this account from this
	// network count there. Otherwise anybody could keep people out with guesses of their own.
	knownFor = 90 * 24 * time.Hour
)

// Limiter counts failed sign-ins, and refuses further ones where there were too many.
type Limiter struct {
	DB  *pg.DB
	Now func() time.Time
}

// Attempt is what a failed sign-in is counted under; a part that is nil is not counted. Only hashes are kept.
type Attempt struct{ pair, account, Network []byte }

// attemptOf names an account, and where the attempt comes from. An account is closed to a /24, or a /64 of IPv6, since
// whoever guesses may have more than one address. What closes for all accounts counts for the address alone: its
// neighbors are other people.
func attemptOf(account, ip string) Attempt {
	network := ip
	if a, err := netip.ParseAddr(ip); err == nil {
		a = a.Unmap().WithZone("")
		bits := 64
		if a.Is4() {
			bits = 24
		}
		p, _ := a.Prefix(bits)
		network = p.String()
	}
	return Attempt{
		pair:    digest.Of("pair", account, network),
		account: digest.Of("account", account),
		Network: AttemptAt("password", ip).Network,
	}
}

// UserAttempt is what failures of a user are counted under, whatever was typed.
func UserAttempt(tenantID, userID, ip string) Attempt {
	return attemptOf("user|"+tenantID+"|"+userID, ip)
}

// TypedAttempt is what failures are counted under whether there is such a user or not. slug is the tenant that was
// named.
func TypedAttempt(account, slug, ip string) Attempt { return attemptOf("typed|"+slug+"|"+account, ip) }

// AttemptAt is an attempt at a way to sign in that knows no account: failures of passwords do not close the others.
func AttemptAt(way, ip string) Attempt {
	return Attempt{Network: digest.Of("network", way, network.Of(ip).String())}
}

// CanonicalEmail is the one spelling of an e-mail address: without spaces around it, in lower case, and with the
// compatibility forms of letters (full-width and the like) folded.
func CanonicalEmail(email string) string {
	return strings.ToLower(norm.NFKC.String(strings.TrimSpace(email)))
}

// Check returns a fault with the code login_throttled while the account or network must wait.
func (s *Limiter) Check(ctx context.Context, a Attempt) error {
	now := s.Now()
	const sql = `
		(select 0, at from login_failure where key = $1 and at > $4
		 union all
		select 1, at from login_failure where key = $2 and at > $5
		 union all
		select 2, at from login_failure where key = $3 and at > $6
		  order by 2 desc
		  limit 500)
		 union all
		select 3, at from login_success where key = $1 and at > $7`
	var failures [4][]time.Time // by pair, account and network; the last are successes of the pair
	err := s.DB.Deployment(ctx, func(tx *pg.Tx) error {
		rows, err := tx.Query(
			ctx,
			sql,
			a.pair,
			a.account,
			a.Network,
			now.Add(-memoryOf),
			now.Add(-accountWindow),
			now.Add(-networkWindow),
			now.Add(-knownFor),
		)
		if err != nil {
			return err
		}
		var (
			which int
			at    time.Time
		)
		_, err = pgx.ForEachRow(rows, []any{&which, &at}, func() error {
			failures[which] = append(failures[which], at)
			return nil
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("count failed sign-ins: %w", err)
	}
	if len(failures[3]) > 0 {
		failures[1], failures[2] = nil, nil
	}
	until := blockedUntil(failures[0], failures[1], failures[2])
	if !until.After(now) {
		return nil
	}
	f := fault.Coded(fault.TooMany, "login_throttled", "too many failed sign-ins; wait before the next one")
	f.RetryAfter = until.Sub(now)
	return f
}

// blockedUntil judges failures, each list with the newest first: of the account from this network within 24 hours, of
// the account within one, and of the network within a minute. It is the zero time when nothing is closed.
func blockedUntil(pair, account, network []time.Time) time.Time {
	until := latest(windowEnd(account, accountLimit, accountWindow), windowEnd(network, networkLimit, networkWindow))
	if len(pair) < burst || pair[0].Sub(pair[burst-1]) > burstWindow {
		return until
	}
	block := burstWindow
	for range len(pair)/burst - 1 {
		block = min(2*block, longestBlock)
	}
	return latest(until, pair[0].Add(block))
}

// windowEnd is when fewer than limit of the times will lie within the window.
func windowEnd(times []time.Time, limit int, window time.Duration) time.Time {
	if len(times) < limit {
		return time.Time{}
	}
	return times[limit-1].Add(window)
}

// latest is the latest of the times; there must be one.
func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// RecordFailure counts a failed sign-in under all of its attempts at once. It also sweeps a few rows that no limit
// looks at any more, so that the table stays small.
func (s *Limiter) RecordFailure(ctx context.Context, under ...Attempt) error {
	var keys [][]byte
	for _, a := range under {
		keys = append(keys, a.pair, a.account, a.Network)
	}
	const sql = `
		with swept as (
			delete from login_failure
			 where ctid in (select ctid from login_failure where at < $3 limit 100))
		insert into login_failure (key, at)
		select key, $2
		  from unnest($1::bytea[]) key
		 where key is not null`
	err := s.DB.Deployment(ctx, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, sql, keys, s.Now(), s.Now().Add(-memoryOf))
		return err
	})
	if err != nil {
		return fmt.Errorf("count a failed sign-in: %w", err)
	}
	return nil
}

// Forgive forgets the failures of an account after a sign-in, and remembers the network. Failures of the network stay.
func (s *Limiter) Forgive(ctx context.Context, a Attempt) error {
	const forget = `delete from login_failure where key = any ($1)`
	const remember = `
		with swept as (
			delete from login_success
			 where key in (select key from login_success where at < $3 limit 100))
		insert into login_success (key, at)
		values ($1, $2)
		    on conflict (key) do update set at = excluded.at`
	err := s.DB.Deployment(ctx, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, forget, [][]byte{a.pair, a.account}); err != nil || a.pair == nil {
			return err
		}
		_, err := tx.Exec(ctx, remember, a.pair, s.Now(), s.Now().Add(-knownFor))
		return err
	})
	if err != nil {
		return fmt.Errorf("forget failed sign-ins: %w", err)
	}
	return nil
}

package syncrun

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event/signature"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Callbacks tell a run's progress to the address given when it was started: at most one a second while it runs, each
// only tried once, and one at the end that is tried again until it arrives or its tries are used up. They are signed
// like webhooks (Standard Webhooks 1.0.0) with a secret of the connector.

const callbackTimeout = 10 * time.Second

// pauses follow the attempts at the last callback: five attempts, at 0, 80 s, 560 s, 3440 s and 20700 s from the first,
// all within six hours.
var pauses = []time.Duration{80 * time.Second, 480 * time.Second, 2880 * time.Second, 17260 * time.Second}

// CallbackSecret is what a receiver verifies a connector's callbacks with, in the form of Standard Webhooks.
func (s *Service) CallbackSecret(tenant, connector string) string {
	return signature.Secret(s.callbackKey(tenant, connector))
}

func (s *Service) callbackKey(tenant, connector string) []byte {
	mac := hmac.New(sha256.New, s.CallbackKey)
	mac.Write([]byte("callback|" + tenant + "|" + connector))
	return mac.Sum(nil)
}

// post sends one callback. Only the status of the answer matters; its body is not even kept.
func (s *Service) post(ctx context.Context, tenant string, url string, p Progress) error {
	ctx, cancel := context.WithTimeout(ctx, callbackTimeout)
	defer cancel()
	body, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode callback: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("callback address: %w", err)
	}
	id := p.RunID + "_" + strconv.FormatInt(p.Seq, 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Grantwright")
	if err := signature.Set(req.Header, id, s.Now(), body, s.callbackKey(tenant, p.ConnectorID)); err != nil {
		return fmt.Errorf("sign callback: %w", err)
	}
	res, err := s.calls.Do(req)
	if err != nil {
		return fmt.Errorf("send callback: %w", err)
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, 16<<10)
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return &answered{res.StatusCode}
	}
	return nil
}

// answered is an answer of a receiver that is no success.
type answered struct{ status int }

// Error names the status alone.
func (a *answered) Error() string { return fmt.Sprintf("the receiver answered %d", a.status) }

// said is what a run tells of a callback that failed: nothing of the addresses that the receiver's name resolved to.
func said(err error) string {
	var answer *answered
	if errors.As(err, &answer) {
		return answer.Error()
	}
	words, _ := outbound.Words(err)
	return words
}

// startTelling sends progress while the run goes on. The returned function stops it. A receiver that is slow or away
// never holds up the run: what it misses is in the last callback.
func (w *work) startTelling(ctx context.Context) (stop func()) {
	if w.callback == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		var told int64 = -1
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			run, err := w.s.find(ctx, w.v, w.connector, w.id)
			if err != nil || run.ProgressSeq == told || run.Status.Ended() {
				continue
			}
			told = run.ProgressSeq
			if err := w.s.post(ctx, w.v.Tenant, *w.callback, run.progress(w.s.Now())); err != nil && ctx.Err() == nil {
				w.s.Log.DebugContext(ctx, "progress callback not taken", "run", w.id, "err", err)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// deliverCallbacks sends the last callbacks that are due. A row is put off before it is tried, so that two processes
// never try it at once and one that dies in between is followed by another.
func (s *Service) deliverCallbacks(ctx context.Context) {
	const sql = `
		select r.tenant_id, r.id, r.connector_id
		  from sync_run r
		  join tenant t
		    on t.id = r.tenant_id
		   and t.status = 'active'
		 where r.callback_state = 'pending'
		   and r.callback_next_at <= now()
		 order by r.callback_next_at
		 limit 20`
	type due struct {
		Tenant    string `db:"tenant_id"`
		ID        string `db:"id"`
		Connector string `db:"connector_id"`
	}
	found, err := pg.FindAcross(ctx, s.DB, pgx.RowToStructByName[due], sql)
	if err != nil {
		return
	}
	for _, d := range found {
		s.group.Add(1)
		go func() {
			defer s.group.Done()
			if err := s.deliver(ctx, viewer.System(d.Tenant), d.Connector, d.ID); err != nil && ctx.Err() == nil {
				s.Log.WarnContext(ctx, "last callback of a run not delivered", "run", d.ID, "err", err)
			}
		}()
	}
}

func (s *Service) deliver(ctx context.Context, v viewer.Viewer, connector, id string) error {
	var attempt int
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		const sql = `
			update sync_run
			   set callback_attempts = callback_attempts + 1, callback_next_at = now() + interval '1 minute'
			 where tenant_id = current_tenant() and id = $1 and callback_state = 'pending' and callback_next_at <= now()
			returning callback_attempts`
		return tx.QueryRow(ctx, sql, id).Scan(&attempt)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // another process was quicker
	}
	if err != nil {
		return fmt.Errorf("take callback: %w", err)
	}
	run, err := s.find(ctx, v, connector, id)
	if err != nil {
		return err
	}
	sent := s.post(ctx, v.Tenant, *run.CallbackURL, run.progress(s.Now()))
	state, note, next := "delivered", "", time.Duration(0)
	if sent != nil {
		state, note = "pending", said(sent)
		if attempt > len(pauses) {
			state = "failed"
		} else {
			next = jitter(pauses[attempt-1])
		}
	}
	err = s.DB.As(context.WithoutCancel(ctx), v, func(tx *pg.Tx) error {
		const sql = `
			update sync_run
			   set callback_state = $2, callback_error = nullif($3, ''), callback_next_at = now() + $4::interval
			 where tenant_id = current_tenant() and id = $1`
		_, err := tx.Exec(ctx, sql, id, state, note, next.String())
		return err
	})
	if err != nil {
		return err
	}
	return sent
}

// jitter shifts a pause by up to 4 per cent, so that many receivers are not called at one moment.
func jitter(d time.Duration) time.Duration {
	return d + time.Duration((rand.Float64()*2-1)*0.04*float64(d))
}

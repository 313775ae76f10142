package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/rig"
)

// pipeline measures what every request passes through: the rate of a token, in one process and in two, and one key that
// many requests carry.
func pipeline(ctx context.Context, b *bench) error {
	if _, err := b.tenant(ctx, "bench"); err != nil {
		return err
	}
	second, err := b.second(ctx)
	if err != nil {
		return err
	}
	if err := atOnce(ctx, b); err != nil {
		return err
	}
	if err := steady(
		ctx,
		b,
		"1,000 requests a second for 10 s, one process: admitted, of 1,200",
		0.01,
		b.plane.URL(),
	); err != nil {
		return err
	}
	if err := steady(ctx, b, "  two processes together", 0.1, b.plane.URL(), second); err != nil {
		return err
	}
	return sameKey(ctx, b, second)
}

// second starts another control plane on the same database.
func (b *bench) second(ctx context.Context) (url string, err error) {
	app, err := open(ctx, b, "app", "grantwright_app")
	if err != nil {
		return "", err
	}
	defer app.Close()
	owner, err := open(ctx, b, "superuser", "grantwright")
	if err != nil {
		return "", err
	}
	defer owner.Close()
	port, err := rig.FreePort()
	if err != nil {
		return "", err
	}
	p := &rig.ControlPlane{
		Bin:    b.bin,
		Data:   filepath.Join(b.dir, "cp2"),
		Listen: fmt.Sprintf("127.0.0.1:%d", port),
		Log:    filepath.Join(b.dir, "controlplane2.log"),
		Flags: []string{
			"--egress-allow-cidrs",
			"127.0.0.0/8",
			"--master-key-file",
			filepath.Join(b.plane.Data, "keys", "master.key"),
		},
		Env: []string{
			"DATABASE_URL=" + app.Config().ConnString(),
			"DATABASE_OWNER_URL=" + owner.Config().ConnString(),
		},
	}
	err = p.Start(ctx)
	b.stops(p.Child)
	return p.URL(), err
}

// session signs somebody in who has used nothing of their rate yet.
func (b *bench) session(ctx context.Context) (*api.Client, error) {
	return b.tenant(ctx, fmt.Sprintf("t%x", rand.Text()[:6]))
}

const (
	pace     = 1000 // requests a second
	duration = 10 * time.Second
	allowed  = 200 + 100*10 // the burst, and what the time brings
)

// steady sends at an even pace and counts what is admitted.
func steady(ctx context.Context, b *bench, what string, tolerance float64, urls ...string) error {
	c, err := b.session(ctx)
	if err != nil {
		return err
	}
	web := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: time.Minute}
	defer web.CloseIdleConnections()
	var admitted, shed, failed atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for n := 0; ; n++ {
		due := began.Add(time.Duration(n) * time.Second / pace)
		if due.Sub(began) >= duration {
			break
		}
		time.Sleep(time.Until(due))
		all.Go(func() {
			switch status, _, err := send(ctx, web, http.MethodGet, urls[n%len(urls)]+api.Prefix+"/auth/me", c.Token(),
				nil, ""); {
			case err != nil:
				failed.Add(1)
			case status == http.StatusOK:
				admitted.Add(1)
			case status == http.StatusServiceUnavailable: // the machine is too slow for the pace
				shed.Add(1)
			case status != http.StatusTooManyRequests:
				failed.Add(1)
			}
		})
	}
	all.Wait()
	took := time.Since(began) // a machine that does not keep up decides late, when more has dripped in
	if failed.Load() > 0 {
		return fmt.Errorf("%d requests got no answer, or one that says neither yes nor no", failed.Load())
	}
	// The sender may have been late; what the time has brought is counted by the clock.
	due := 200 + 100*took.Seconds()
	off := float64(admitted.Load())/due - 1
	line(
		what,
		fmt.Sprintf("%d ±%.0f %%", allowed, 100*tolerance),
		fmt.Sprint(admitted.Load()),
		1+off,
		off <= tolerance && off >= -tolerance,
	)
	if shed.Load() > 0 {
		note("  turned away, because the machine did not keep up", float64(shed.Load()), "")
	}
	return nil
}

// atOnce sends twice the burst at once: the burst passes, and what drips in until the last answer.
func atOnce(ctx context.Context, b *bench) error {
	const burst = 200
	c, err := b.session(ctx)
	if err != nil {
		return err
	}
	web := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * burst}, Timeout: time.Minute}
	defer web.CloseIdleConnections()
	var admitted, refused atomic.Int64
	var all sync.WaitGroup
	began := time.Now()
	for range 2 * burst {
		all.Go(func() {
			switch status, _, _ := send(ctx, web, http.MethodGet, b.plane.URL()+api.Prefix+"/auth/me", c.Token(), nil,
				""); status {
			case http.StatusOK:
				admitted.Add(1)
			case http.StatusTooManyRequests:
				refused.Add(1)
			}
		})
	}
	all.Wait()
	most := burst + int64(100*time.Since(began).Seconds()) + 1
	got := admitted.Load()
	line(
		"400 requests at once: admitted, of a burst of 200 and what the time brings",
		fmt.Sprintf("200..%d", most),
		fmt.Sprint(got),
		float64(got)/burst,
		got >= burst && got <= most && got+refused.Load() == 2*burst,
	)
	return nil
}

// sameKey posts the same person 200 times at once with one Idempotency-Key, to two processes in turns.
func sameKey(ctx context.Context, b *bench, second string) error {
	c, err := b.session(ctx)
	if err != nil {
		return err
	}
	web := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 200}, Timeout: time.Minute}
	defer web.CloseIdleConnections()
	key, urls := uuid.NewString(), []string{b.plane.URL(), second}
	body := []byte(`{"external_id":"E-1","first_name":"Ada","last_name":"Lovelace","email":"ada@example.com"}`)
	var answers sync.Map
	var all sync.WaitGroup
	counts := map[int]*atomic.Int64{201: {}, 409: {}, 429: {}}
	var other atomic.Int64
	began := time.Now()
	for n := range 200 {
		all.Go(func() {
			status, answer, err := send(
				ctx,
				web,
				http.MethodPost,
				urls[n%2]+api.Prefix+"/identities",
				c.Token(),
				body,
				key,
			)
			if count := counts[status]; err == nil && count != nil {
				count.Add(1)
			} else {
				other.Add(1)
			}
			if status == http.StatusCreated {
				answers.Store(string(answer), true)
			}
		})
	}
	all.Wait()
	took := time.Since(began)
	people, err := api.Some[json.RawMessage](ctx, c, "/identities", 1)
	if err != nil {
		return err
	}
	different := 0
	answers.Range(func(any, any) bool { different++; return true })
	pass := people.Total == 1 && different == 1 && other.Load() == 0
	line(
		"200 posts at once with one Idempotency-Key to two processes: effects",
		"1",
		fmt.Sprint(people.Total),
		float64(people.Total),
		pass,
	)
	note("  answered as the first was", float64(counts[201].Load()), "")
	note("  told to wait for it", float64(counts[409].Load()), "")
	note("  all answered within", float64(took)/float64(time.Millisecond), "ms")
	return nil
}

func send(
	ctx context.Context,
	web *http.Client,
	method, url, token string,
	body []byte,
	key string,
) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	answer, err := web.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	return answer.StatusCode, b, err
}

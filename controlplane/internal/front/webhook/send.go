package webhook

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/delivery"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/retry"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event/signature"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/protocol/retryafter"
)

// Limits of a call. Connecting has five seconds of it: see outbound.
const (
	callTimeout = 15 * time.Second
	maxAnswer   = 16 << 10
	maxExcerpt  = 1 << 10
)

// outcome is what came of an attempt.
type outcome struct {
	delivery.Attempt
	ok      bool
	gone    bool // 410
	blocked bool // the guard refused the address
	wait    time.Duration
}

// send posts a delivery once. n is the attempt's number; what is signed carries the moment of this attempt.
func (s *Service) send(ctx context.Context, t target, j job, n int) (o outcome) {
	o.Attempt = delivery.Attempt{N: n, URL: t.hook.URL, Repeated: j.Repeats, At: j.now()}
	raw, contentType, err := delivery.Body(
		delivery.Origin{Tenant: t.viewer.Tenant, Console: t.console},
		j.Format,
		j.Stored,
	)
	if err != nil {
		o.Error = "the event could not be written as JSON"
		s.Log.ErrorContext(ctx, "cannot write an event", "event", j.Stored.ID, "err", err)
		return o
	}
	sum := sha256.Sum256(raw)
	o.BodySHA256 = hex.EncodeToString(sum[:])
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(raw))
	if err != nil {
		o.Error = "the URL cannot be called"
		return o
	}
	for name, value := range t.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("User-Agent", "Grantwright")
	req.Header.Set("grantwright-attempt", strconv.Itoa(n))
	if err := signature.Set(req.Header, j.Stored.ID, o.At, raw, t.keys...); err != nil {
		o.Error = "the delivery could not be signed"
		return o
	}
	s.call(req, t, &o)
	return o
}

func (s *Service) call(req *http.Request, t target, o *outcome) {
	began := time.Now()
	res, err := s.client(t.hook.ID).Do(req)
	if err != nil {
		o.LatencyMS = time.Since(began).Milliseconds()
		o.Error, o.blocked = outbound.FailureReason(err)
		return
	}
	defer res.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	o.LatencyMS = time.Since(began).Milliseconds()
	o.Status, o.Excerpt = res.StatusCode, excerpt(answer, t)
	o.ok, o.gone = res.StatusCode >= 200 && res.StatusCode <= 299, res.StatusCode == http.StatusGone
	switch {
	case o.ok:
	case res.StatusCode >= 300 && res.StatusCode <= 399:
		o.Error = "the endpoint redirects; redirects are not followed"
	default:
		o.Error = "the endpoint answered " + strconv.Itoa(res.StatusCode)
	}
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		wait, _ := retryafter.Parse(res.Header.Get("Retry-After"), s.Now())
		o.wait = min(wait, retry.Deadline)
	}
}

// excerpt is the beginning of an answer as text. An endpoint may repeat what it was sent, so the values of our headers,
// which must not be read, are removed.
func excerpt(answer []byte, t target) string {
	text := strings.ToValidUTF8(string(answer), "�")
	for _, secret := range t.secrets() {
		if len(secret) >= 4 {
			text = strings.ReplaceAll(text, secret, "[secret]")
		}
	}
	text = strings.ReplaceAll(text, "\x00", "�")
	if len(text) > maxExcerpt {
		text = strings.ToValidUTF8(text[:maxExcerpt], "")
	}
	return text
}

// secrets are texts that answers must not show.
func (t target) secrets() (all []string) {
	for _, value := range t.headers {
		all = append(all, value, lastWord(value))
	}
	if u, err := url.Parse(t.url); err == nil && t.url != t.hook.URL {
		all = append(all, u.RequestURI(), u.RawQuery)
	}
	return all
}

// lastWord is what follows the scheme of "Bearer abc".
func lastWord(value string) string { return value[strings.LastIndexByte(value, ' ')+1:] }

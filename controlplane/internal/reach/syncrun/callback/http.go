package callback

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event/signature"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
)

// post sends one callback. Only the status of the answer matters; its body is not even kept.
func (s *Sender) post(ctx context.Context, tenant string, url string, p syncrun.Progress) error {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
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
	if err := signature.Set(req.Header, id, s.Now(), body, s.Runs.SigningKey(tenant, p.ConnectorID)); err != nil {
		return fmt.Errorf("sign callback: %w", err)
	}
	res, err := s.HTTP.Do(req)
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

// said is the failure of a callback as a run shows it: without the addresses that the receiver's name resolved to.
func reason(err error) string {
	var answer *answered
	if errors.As(err, &answer) {
		return answer.Error()
	}
	words, _ := outbound.FailureReason(err)
	return words
}

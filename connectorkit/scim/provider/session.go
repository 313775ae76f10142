package provider

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/response"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Session is the access to one service provider during one call: the settings and the client.
type Session struct {
	settings.Settings
	// Env is what the host of the connector provides, such as the dialer and the log.
	Env    connectorkit.Env
	Client *target.Client
	Clock  *time.Time // the target's own, when it first answered; nil: it does not tell
}

// Open reads the settings of auth and opens a client for them. The caller closes the session. An error is a
// *v1.ErrorDetail that names the wrong settings.
func Open(
	ctx context.Context, env connectorkit.Env, auth v1.AuthConfig, with target.Options,
) (*Session, error) {
	set, err := settings.Read(auth)
	if err != nil {
		return nil, err
	}
	o := set.Options
	o.Accept = set.ContentType + ", application/json"
	o.Scrub = connectorkit.ScrubberFor(auth, settings.Fields())
	o.Report, o.Shared, o.Sleep = with.Report, with.Shared, with.Sleep
	c, err := target.New(ctx, env, o)
	if err != nil {
		return nil, err
	}
	return &Session{Settings: set, Env: env, Client: c}, nil
}

// Close ends the session and releases its client.
func (s *Session) Close() { s.Client.Close() }

// Now returns the time of the environment, which tests set.
func (s *Session) Now() time.Time {
	if s.Env.Now != nil {
		return s.Env.Now()
	}
	return time.Now()
}

// Fetch reads as target.Client does, and keeps the clock of the target, as its first answer reports it.
func (s *Session) Fetch(ctx context.Context, ask target.Request, use func(*target.Response) error) error {
	return s.Client.Read(ctx, ask, func(resp *target.Response) error {
		if t, err := http.ParseTime(resp.Header.Get("Date")); err == nil && s.Clock == nil {
			t = t.UTC()
			s.Clock = &t
		}
		return use(resp)
	})
}

// object reads one JSON object and refuses a SCIM Error in the guise of a success.
func (s *Session) object(ctx context.Context, path, phase string) (resource.Record, error) {
	var out resource.Record
	err := s.Fetch(ctx, target.Request{URL: path, Phase: phase}, func(resp *target.Response) (err error) {
		out, err = response.ReadObject(resp)
		return err
	})
	return out, err
}

// list reads one listing that is not paged, such as /Schemas: a ListResponse or, as some targets have it, a plain
// array.
func (s *Session) list(ctx context.Context, path, phase string) ([]resource.Record, error) {
	var out []resource.Record
	err := s.Fetch(ctx, target.Request{URL: path, Phase: phase}, func(resp *target.Response) error {
		out = nil
		_, err := response.ReadList(resp, func(in *response.Reader) error {
			res, err := in.Element()
			if res.Record != nil {
				out = append(out, res.Record)
			}
			return err
		})
		return err
	})
	return out, err
}

// Sample reads the first n resources of a listing and how many there are.
func (s *Session) Sample(ctx context.Context, path, phase string, n int) (recs []resource.Record, total int,
	err error) {
	query := url.Values{}
	if s.Pagination != settings.PageNone {
		query.Set("count", strconv.Itoa(n))
	}
	err = s.Fetch(
		ctx,
		target.Request{URL: path, Query: query, Phase: phase, Stream: true},
		func(resp *target.Response) error {
			recs = nil
			head, err := response.ReadList(resp, func(in *response.Reader) error {
				if len(recs) >= n {
					return response.ErrStop // whatever the target still sends
				}
				rec := resource.Record{}
				err := in.Object(func(name string) error {
					if strings.EqualFold(name, "members") {
						_, err := in.Next(0)
						return err
					}
					return response.ReadInto(in, rec, name)
				})
				if len(rec) > 0 {
					recs = append(recs, rec)
				}
				return err
			})
			total = head.Total
			return err
		},
	)
	return recs, total, err
}

// ReadbackPauses returns the pauses between reads of the result of a change: a target may answer before all its parts
// have the change.
func (s *Session) ReadbackPauses() []time.Duration {
	ms := s.Write.SettlesMS
	if ms == nil {
		ms = []int{250, 1000}
	}
	out := make([]time.Duration, len(ms))
	for i, n := range ms {
		out[i] = time.Duration(n) * time.Millisecond
	}
	return out
}

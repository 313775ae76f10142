package scim

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Connector reads and changes SCIM service providers. Between calls it keeps tokens, rate budgets, and what targets
// declare.
type Connector struct {
	env    connectorkit.Env
	shared *target.Shared
	sleep  target.Sleep // for tests
	facts  facts
}

// New makes a connector that reaches its targets through env.
func New(env connectorkit.Env) connectorkit.Connector {
	return &Connector{env: env, shared: target.Process()}
}

// session is one call: its settings and its client.
type session struct {
	settings
	env   connectorkit.Env
	c     *target.Client
	clock *time.Time // the target's own, when it first answered; nil: it does not tell
}

func (k *Connector) open(ctx context.Context, auth v1.AuthConfig, report connectorkit.Report) (*session, error) {
	set, err := read(auth)
	if err != nil {
		return nil, err
	}
	o := set.options
	o.Accept = set.contentType + ", application/json"
	o.Scrub = connectorkit.ScrubberFor(auth, Fields())
	o.Report, o.Shared, o.Sleep = report, k.shared, k.sleep
	c, err := target.New(ctx, k.env, o)
	if err != nil {
		return nil, err
	}
	return &session{settings: set, env: k.env, c: c}, nil
}

func (s *session) close() { s.c.Close() }

func (s *session) now() time.Time {
	if s.env.Now != nil {
		return s.env.Now()
	}
	return time.Now()
}

// fetch reads as target.Client does, and looks at the target's clock.
func (s *session) fetch(ctx context.Context, ask target.Request, use func(*target.Response) error) error {
	return s.c.Read(ctx, ask, func(resp *target.Response) error {
		if t, err := http.ParseTime(resp.Header.Get("Date")); err == nil && s.clock == nil {
			t = t.UTC()
			s.clock = &t
		}
		return use(resp)
	})
}

// object reads one JSON object and refuses a SCIM Error in the guise of a success.
func (s *session) object(ctx context.Context, path, phase string) (record, error) {
	var out record
	err := s.fetch(ctx, target.Request{URL: path, Phase: phase}, func(resp *target.Response) (err error) {
		out, err = objectOf(resp)
		return err
	})
	return out, err
}

func objectOf(resp *target.Response) (record, error) {
	var out record
	if err := resp.Decode(&out); err != nil {
		return nil, err
	}
	if out.isError() {
		return nil, errorInside(resp, out)
	}
	return out, nil
}

// list reads one listing that is not paged, such as /Schemas: a ListResponse or, as some targets have it, a plain
// array.
func (s *session) list(ctx context.Context, path, phase string) ([]record, error) {
	var out []record
	err := s.fetch(ctx, target.Request{URL: path, Phase: phase}, func(resp *target.Response) error {
		out = nil
		_, err := readList(resp, func(in *raw) error {
			res, err := in.resource()
			if res.rec != nil {
				out = append(out, res.rec)
			}
			return err
		})
		return err
	})
	return out, err
}

// sample reads the first n resources of a listing and how many there are.
func (s *session) sample(ctx context.Context, path, phase string, n int) (recs []record, total int, err error) {
	query := url.Values{}
	if s.pagination != pageNone {
		query.Set("count", strconv.Itoa(n))
	}
	err = s.fetch(
		ctx,
		target.Request{URL: path, Query: query, Phase: phase, Stream: true},
		func(resp *target.Response) error {
			recs = nil
			head, err := readList(resp, func(in *raw) error {
				if len(recs) >= n {
					return errEnough // whatever the target still sends
				}
				rec := record{}
				err := in.object(func(name string) error {
					if strings.EqualFold(name, "members") {
						_, err := in.next(0)
						return err
					}
					return keepSmall(in, rec, name)
				})
				if len(rec) > 0 {
					recs = append(recs, rec)
				}
				return err
			})
			total = head.total
			return err
		},
	)
	return recs, total, err
}

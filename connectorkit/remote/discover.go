package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/remote/response"
	"github.com/grantwright/grantwright/connectorkit/sampling"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Bounds of discovery.
const (
	defaultSample = 10
	maxSample     = 50
	maxObjects    = 50
	maxFields     = 500
	samplePages   = 50 // that are looked at until there are enough records of every kind
)

// errEnough ends a read of which enough was seen.
var errEnough = errors.New("enough records")

// Discover asks the service for its fields (POST /v1/discover). One that does not know them is read for a few records
// of each kind, from which the fields are inferred.
func (c *connector) Discover(
	ctx context.Context,
	req v1.DiscoverRequest,
	report connectorkit.Report,
) (v1.DiscoverResponse, error) {
	call, err := c.open(ctx, req.AuthConfig, report)
	if err != nil {
		return v1.DiscoverResponse{}, err
	}
	defer call.client.Close()
	if req.SampleSize <= 0 {
		req.SampleSize = defaultSample
	}
	req.SampleSize = min(req.SampleSize, maxSample)
	out := v1.DiscoverResponse{Success: true, Objects: []v1.DiscoveredObject{}, Warnings: call.client.Warnings()}
	there := false
	if !call.cfg.Exact {
		if there, err = call.declared(ctx, req, &out); err != nil {
			return v1.DiscoverResponse{}, err
		}
	}
	if !there {
		report.Send(v1.Progress{Phase: "sync", Message: "sampling records"})
		if err := call.sampled(connectorkit.WithReport(ctx, report), req, &out); err != nil {
			return v1.DiscoverResponse{}, err
		}
	}
	out.SchemaDigest = sampling.Digest(out.Objects)
	return out, nil
}

// schema is a DiscoverResponse as services may write it.
type schema struct {
	Success  *bool                 `json:"success"`
	Objects  []v1.DiscoveredObject `json:"objects"`
	Warnings []v1.Warning          `json:"warnings"`
	Error    json.RawMessage       `json:"error"`
}

// declared asks the service for its schema.
func (c *caller) declared(ctx context.Context, req v1.DiscoverRequest, out *v1.DiscoverResponse) (bool, error) {
	req.AuthConfig = c.cfg.Auth
	r, err := c.post(ctx, "v1/discover", "discover", "", req)
	if err != nil {
		return false, err
	}
	alike := false
	there, err := c.ask(ctx, r, false, nil, func(resp *target.Response, doc json.RawMessage) error {
		if alike = isSyncResponse(doc); alike {
			return nil
		}
		var s schema
		if err := json.Unmarshal(doc, &s); err != nil {
			return violation(resp, "the answer to discover: "+response.Explain(err))
		}
		return c.described(resp, req, s, out)
	})
	return there && !alike, err
}

func (c *caller) described(resp *target.Response, req v1.DiscoverRequest, s schema, out *v1.DiscoverResponse) error {
	failed := len(s.Error) > 0 && string(s.Error) != "null"
	switch {
	case s.Success == nil:
		return violation(resp, "the answer to discover has no member success")
	case *s.Success && failed:
		return violation(resp, "the answer to discover has success true although error is set")
	case !*s.Success:
		var sentence *string
		if text := ""; json.Unmarshal(s.Error, &text) == nil {
			sentence = &text
		}
		return c.failure(sentence, s.Error, &v1.Target{Kind: "http", Host: resp.Host(), HTTP: resp.Head()}, "discover")
	case len(s.Objects) > maxObjects:
		return violation(resp, fmt.Sprintf("objects has more than %d members", maxObjects))
	}
	objects := make([]v1.DiscoveredObject, 0, len(s.Objects))
	for i, o := range s.Objects {
		kind, known := kindsOf[o.Kind]
		if !known || o.NativeType == "" || len(o.Fields) > maxFields {
			return violation(
				resp,
				fmt.Sprintf(
					"objects[%d] needs a kind (identity, account, entitlement, grant), "+
						"a native_type and at most %d fields",
					i,
					maxFields,
				),
			)
		}
		for n, f := range o.Fields {
			if f.Name == "" || !slices.Contains(fieldTypes, f.Type) {
				return violation(
					resp,
					fmt.Sprintf("objects[%d].fields[%d] needs a name and one of the types of protocol v1", i, n),
				)
			}
			f.Path, f.Source = cmp.Or(f.Path, f.Name), cmp.Or(f.Source, "schema")
			o.Fields[n] = sampling.Hide(f, req.MaskSamples)
		}
		if len(req.Objects) > 0 && !slices.Contains(req.Objects, kind) {
			continue
		}
		slices.SortStableFunc(o.Fields, func(a, b v1.DiscoveredField) int { return cmp.Compare(a.Name, b.Name) })
		if o.Fields == nil {
			o.Fields = []v1.DiscoveredField{}
		}
		objects = append(objects, o)
	}
	clean := cleaned(c, &objects, maxSmall)
	if clean == nil {
		return violation(resp, "objects is too large")
	}
	out.Objects = *clean
	for _, w := range s.Warnings[:min(len(s.Warnings), response.MaxWarnings)] {
		out.Warnings = append(out.Warnings, v1.Warning{Code: c.clean(w.Code, 64), Message: c.clean(w.Message, 500)})
	}
	return nil
}

var kindsOf = map[string]v1.ObjectKind{
	"identity":    v1.Identities,
	"account":     v1.Accounts,
	"entitlement": v1.Entitlements,
	"grant":       v1.Grants,
}

var fieldTypes = []string{"string", "integer", "number", "boolean", "datetime", "date", "reference", "binary", "object"}

// sampler gathers what a few records of each kind show.
type sampler struct {
	size    int
	answers int
	seen    map[v1.ObjectKind]*sampling.Sample
	hints   map[v1.ObjectKind]*int
}

// sampled reads a few records of each kind. The read ends as soon as there are enough.
func (c *caller) sampled(ctx context.Context, req v1.DiscoverRequest, out *v1.DiscoverResponse) error {
	g := &sampler{size: req.SampleSize, seen: map[v1.ObjectKind]*sampling.Sample{}, hints: map[v1.ObjectKind]*int{}}
	s := newSession(c, v1.SyncRequest{
		ConnectorBusinessID: req.ConnectorBusinessID,
		Options:             &v1.SyncOptions{MaxRecords: &req.SampleSize, Objects: req.Objects, Mode: v1.ModeDiscover},
	}, nil)
	s.look = g.add
	s.emit = func(_ context.Context, page v1.SyncResponse) error {
		g.estimate(page.Page.Estimate)
		out.Warnings = append(out.Warnings, page.Page.Warnings...)
		if g.answers++; g.answers >= samplePages || g.enough(s.wanted) {
			return errEnough
		}
		return nil
	}
	if err := s.run(ctx); err != nil && !errors.Is(err, errEnough) {
		return err
	}
	out.Warnings = slices.DeleteFunc(
		out.Warnings,
		func(w v1.Warning) bool { return w.Code == "nothing_attested" || w.Code == "no_clock" },
	)
	g.describe(req, s.wanted, out)
	return nil
}

func (g *sampler) add(kind v1.ObjectKind, members map[string]any) {
	if g.seen[kind] == nil {
		g.seen[kind] = &sampling.Sample{}
	}
	if g.seen[kind].Len() < g.size {
		g.seen[kind].Add(response.LaidOut(members))
	}
}

func (g *sampler) estimate(e *v1.Estimate) {
	if e == nil {
		return
	}
	g.hints = map[v1.ObjectKind]*int{
		v1.Identities:   e.Identities,
		v1.Accounts:     e.Accounts,
		v1.Entitlements: e.Entitlements,
		v1.Grants:       e.Grants,
	}
}

// enough says whether there are as many records of every kind as were asked for. Grants have no fields worth waiting
// for.
func (g *sampler) enough(wanted map[v1.ObjectKind]bool) bool {
	for kind := range wanted {
		if kind != v1.Grants && (g.seen[kind] == nil || g.seen[kind].Len() < g.size) {
			return false
		}
	}
	return true
}

func (g *sampler) describe(req v1.DiscoverRequest, wanted map[v1.ObjectKind]bool, out *v1.DiscoverResponse) {
	for _, name := range []string{"identity", "account", "entitlement", "grant"} {
		kind := kindsOf[name]
		seen := g.seen[kind]
		if seen == nil || !wanted[kind] {
			continue
		}
		o := v1.DiscoveredObject{
			Kind:       name,
			NativeType: string(kind),
			CountHint:  g.hints[kind],
			Fields:     seen.Fields(req.MaskSamples),
		}
		if kind != v1.Grants {
			o.SuggestedKey = "external_id"
		}
		out.Objects = append(out.Objects, o)
	}
	if len(out.Objects) == 0 {
		out.Warnings = append(
			out.Warnings,
			v1.Warning{Code: "no_records", Message: "the connector gave no record to learn its fields from"},
		)
	}
}

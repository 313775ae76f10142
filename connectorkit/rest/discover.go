package rest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/connectorkit/rest/answer"
	"github.com/grantwright/grantwright/connectorkit/rest/paging"
	"github.com/grantwright/grantwright/connectorkit/rest/read"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	"github.com/grantwright/grantwright/connectorkit/sampling"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const (
	defaultSample = 10
	maxSample     = 50
	sampleParents = 3 // records of a parent whose children are looked at
)

// Discover samples each stream and infers the fields from what it sees: REST has no schema to ask for.
func (c *connector) Discover(
	ctx context.Context,
	req v1.DiscoverRequest,
	report connectorkit.Report,
) (v1.DiscoverResponse, error) {
	cfg, client, err := c.open(ctx, req.AuthConfig, report)
	if err != nil {
		return v1.DiscoverResponse{}, err
	}
	defer client.Close()
	size := req.SampleSize
	if size <= 0 {
		size = defaultSample
	}
	d := &discovery{
		Lister: paging.Lister{
			Cfg:    &cfg.Config,
			Client: client,
		}, budget: jsonpath.NewBudget(ctx, 0), size: min(size, maxSample), mask: req.MaskSamples, report: report,
		wanted: read.Wanted(
			&v1.SyncOptions{Objects: req.Objects},
		), out: v1.DiscoverResponse{Success: true, Objects: []v1.DiscoveredObject{}, Warnings: client.Warnings()},
	}
	for _, st := range cfg.Streams {
		if st.ParentStream != nil {
			continue
		}
		if err := d.stream(ctx, st, []*stream.ParentRecord{nil}); err != nil {
			return v1.DiscoverResponse{}, err
		}
	}
	d.out.SchemaDigest = sampling.DigestOf(d.out.Objects)
	return d.out, nil
}

// discovery is one Discover.
type discovery struct {
	paging.Lister
	budget *jsonpath.Budget
	// size is the number of records that are read of each stream; mask hides sample values.
	size   int
	mask   bool
	wanted map[v1.ObjectKind]bool
	report connectorkit.Report
	// out collects the described objects.
	out v1.DiscoverResponse
}

// stream samples one stream below some parents, and then its children below the first few of the records seen.
func (d *discovery) stream(ctx context.Context, st *stream.Stream, parents []*stream.ParentRecord) error {
	d.report.Send(v1.Progress{Phase: st.Name, Message: "sampling " + st.Name})
	in := &sampling.Inference{Fields: map[string]*sampling.ObservedField{}}
	total := -1
	var below []*stream.ParentRecord
	for _, at := range parents {
		expected, err := d.sample(ctx, st, at, func(record any) error {
			in.Add(record)
			d.budget.Refill()
			if len(below) < sampleParents && len(st.Children) > 0 {
				key, ok := st.KeyOf(d.budget, record)
				below = append(
					below,
					&stream.ParentRecord{
						Object:    st.Object,
						ChildKeys: stream.ChildKeys(d.budget, st, record, key, ok),
						Parent:    at,
					},
				)
				if err := answer.BudgetExceeded(d.budget, st, nil); err != nil {
					return err
				}
			}
			if in.Records >= d.size {
				return answer.ErrEnough
			}
			return nil
		})
		if err != nil && !(st.ParentStream != nil && answer.NotFound(err)) {
			return err
		}
		if total = max(total, expected); in.Records >= d.size {
			break
		}
	}
	d.describe(st, in, total)
	return d.children(ctx, st, below)
}

// children describes the streams that are read for each record of another, with the sampled records
// as their parents.
func (d *discovery) children(ctx context.Context, st *stream.Stream, below []*stream.ParentRecord) error {
	for i, child := range st.Children {
		var parents []*stream.ParentRecord
		for _, record := range below {
			if at := record.For(child, i); at != nil {
				parents = append(parents, at)
			}
		}
		if err := d.stream(ctx, child, parents); err != nil {
			return err
		}
	}
	return nil
}

// sample reads the first page of a list, or the beginning of it, and gives the announced number of records or -1.
func (d *discovery) sample(
	ctx context.Context,
	st *stream.Stream,
	at *stream.ParentRecord,
	take func(record any) error,
) (int, error) {
	pg := paging.New(st, d.Cfg)
	pg.Size = d.size
	r, err := pg.Request(at)
	if err != nil {
		return -1, err
	}
	total := -1
	// What was taken stays taken, so a broken answer is not read twice.
	err = d.Client.Read(ctx, r, func(resp *target.Response) error {
		o, err := answer.Decode(ctx, st, resp, take)
		if v, ok := o.Pick(st.Picks.Total); ok {
			if n, ok := jsonvalue.Int(v); ok {
				total = n
			}
		}
		if errors.Is(err, answer.ErrEnough) {
			return nil
		}
		return target.Stop(err)
	})
	if stream.Ignored(err) {
		return -1, nil
	}
	return total, err
}

// describe adds what a stream's records become, one object for each kind.
func (d *discovery) describe(st *stream.Stream, in *sampling.Inference, total int) {
	if in.Records == 0 {
		d.out.Warnings = append(
			d.out.Warnings,
			v1.Warning{Code: "no_records", Message: fmt.Sprintf("%s gave no record to learn its fields from", st.Name)},
		)
	}
	fields := in.Describe(d.mask)
	for _, kind := range stream.RowTypes(st.Object) {
		if !d.wanted[stream.KindNames[kind]] {
			continue
		}
		object := v1.DiscoveredObject{Kind: kind, NativeType: st.Name, Fields: fields, SuggestedKey: suggestKey(st, in)}
		if total >= 0 && st.ParentStream == nil {
			object.CountHint = &total
		}
		d.out.Objects = append(d.out.Objects, object)
	}
}

// suggestKey is the field named by key_path, or the best of the usual names that is there in every record and never
// twice.
func suggestKey(st *stream.Stream, in *sampling.Inference) string {
	if st.Key != nil {
		if names, ok := st.Key.Names(); ok {
			return strings.Join(names, ".")
		}
		return ""
	}
	for _, want := range stream.KeyNames {
		for _, name := range jsonvalue.SortedKeys(in.Fields) {
			f := in.Fields[name]
			if strings.EqualFold(name, want) && !f.Multi && f.Present == in.Records && len(f.Distinct) == f.Values {
				return name
			}
		}
	}
	return ""
}

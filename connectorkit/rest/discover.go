package rest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const (
	defaultSample = 10
	maxSample     = 50
	sampleParents = 3 // records of a parent whose children are looked at
)

// Discover samples each stream and infers the fields from what it sees: REST has no schema to ask for.
func (c *connector) Discover(ctx context.Context, req v1.DiscoverRequest, report connectorkit.Report) (v1.DiscoverResponse, error) {
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
		lister: lister{cfg: cfg, client: client}, budget: jsonpath.NewBudget(ctx, 0), size: min(size, maxSample), mask: req.MaskSamples, report: report,
		wanted: wanted(&v1.SyncOptions{Objects: req.Objects}), out: v1.DiscoverResponse{Success: true, Objects: []v1.DiscoveredObject{}, Warnings: client.Warnings()},
	}
	for _, st := range cfg.streams {
		if st.parent != nil {
			continue
		}
		if err := d.stream(ctx, st, []*ancestor{nil}); err != nil {
			return v1.DiscoverResponse{}, err
		}
	}
	d.out.SchemaDigest = digestOf(d.out.Objects)
	return d.out, nil
}

// discovery is one Discover.
type discovery struct {
	lister
	budget *jsonpath.Budget
	size   int
	mask   bool
	wanted map[v1.ObjectKind]bool
	report connectorkit.Report
	out    v1.DiscoverResponse
}

// stream samples one stream below some parents, and then its children below the first few of the records seen.
func (d *discovery) stream(ctx context.Context, st *stream, parents []*ancestor) error {
	d.report.Tell(v1.Progress{Phase: st.Name, Message: "sampling " + st.Name})
	in := &inference{fields: map[string]*seenField{}}
	total := -1
	var below []*ancestor
	for _, at := range parents {
		expected, err := d.sample(ctx, st, at, func(record any) error {
			in.add(record)
			d.budget.Refill()
			if len(below) < sampleParents && len(st.children) > 0 {
				key, ok := st.keyOf(d.budget, record)
				below = append(below, &ancestor{object: st.Object, record: childKeys(d.budget, st, record, key, ok), up: at})
				if err := tooCostly(d.budget, st, nil); err != nil {
					return err
				}
			}
			if in.records >= d.size {
				return errEnough
			}
			return nil
		})
		if err != nil && !(st.parent != nil && isNotFound(err)) {
			return err
		}
		if total = max(total, expected); in.records >= d.size {
			break
		}
	}
	d.describe(st, in, total)
	return d.children(ctx, st, below)
}

func (d *discovery) children(ctx context.Context, st *stream, below []*ancestor) error {
	for i, child := range st.children {
		var parents []*ancestor
		for _, record := range below {
			if at := record.as(child, i); at != nil {
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
func (d *discovery) sample(ctx context.Context, st *stream, at *ancestor, take func(record any) error) (int, error) {
	pg := newPager(st, d.cfg)
	pg.size = d.size
	r, err := pg.request(at)
	if err != nil {
		return -1, err
	}
	total := -1
	// What was taken stays taken, so a broken answer is not read twice.
	err = d.client.Read(ctx, r, func(resp *target.Response) error {
		o, err := decodePage(ctx, st, resp, take)
		if v, ok := o.pick(st.picks.total); ok {
			if n, ok := intOf(v); ok {
				total = n
			}
		}
		if errors.Is(err, errEnough) {
			return nil
		}
		return target.Stop(err)
	})
	if ignored(err) {
		return -1, nil
	}
	return total, err
}

var kindNames = map[string]v1.ObjectKind{
	objectIdentity: v1.Identities, objectAccount: v1.Accounts, objectEntitlement: v1.Entitlements, objectGrant: v1.Grants,
}

// describe adds what a stream's records become, one object for each kind.
func (d *discovery) describe(st *stream, in *inference, total int) {
	if in.records == 0 {
		d.out.Warnings = append(d.out.Warnings, v1.Warning{Code: "no_records", Message: fmt.Sprintf("%s gave no record to learn its fields from", st.Name)})
	}
	fields := in.describe(d.mask)
	for _, kind := range rowsOf(st.Object) {
		if !d.wanted[kindNames[kind]] {
			continue
		}
		object := v1.DiscoveredObject{Kind: kind, NativeType: st.Name, Fields: fields, SuggestedKey: suggestKey(st, in)}
		if total >= 0 && st.parent == nil {
			object.CountHint = &total
		}
		d.out.Objects = append(d.out.Objects, object)
	}
}

// suggestKey is the field named by key_path, or the best of the usual names that is there in every record and never twice.
func suggestKey(st *stream, in *inference) string {
	if st.key != nil {
		if names, ok := st.key.Names(); ok {
			return strings.Join(names, ".")
		}
		return ""
	}
	for _, want := range keyNames {
		for _, name := range sortedKeys(in.fields) {
			f := in.fields[name]
			if strings.EqualFold(name, want) && !f.multi && f.present == in.records && len(f.distinct) == f.values {
				return name
			}
		}
	}
	return ""
}

// digestOf changes when an object, a field's name or its type does.
func digestOf(objects []v1.DiscoveredObject) string {
	h := sha256.New()
	for _, o := range objects {
		fmt.Fprintf(h, "%q %q\n", o.Kind, o.NativeType)
		for _, f := range o.Fields {
			fmt.Fprintf(h, " %q %s\n", f.Name, f.Type)
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

package tryout

import (
	"context"
	"errors"
	"slices"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Sample are a few whole records of a target.
type Sample struct {
	Identities   []v1.RemoteIdentity
	Accounts     []v1.RemoteAccount
	Entitlements []v1.RemoteEntitlement
	Grants       []v1.RemoteGrant
	Error        *v1.ErrorDetail // what the target, the network or an agent answered, where it did not go well
}

// Sampling says which records are wanted: of each of the kinds, as far as the connector is read for them, up to N.
// Only, where not empty, are the external ids of the records that are wanted; a grant is named by its own or by that
// of its account or entitlement. The read then goes on until it has found them, for a minute at most.
type Sampling struct {
	N     int
	Only  []string
	Kinds []v1.ObjectKind
}

// errEnough ends a read when there are as many records as were wanted.
var errEnough = errors.New("there are enough records")

// Sample reads a few records of a target. What the target, the network or an agent answers is part of the sample; the
// error is for faults of our own.
func (s *Tester) Sample(ctx context.Context, c Call, want Sampling) (Sample, error) {
	out, err := within(ctx, discoverLimit, c.Scrub, func(ctx context.Context) (Sample, error) {
		return s.readSample(ctx, c, want)
	})
	if err == nil {
		return out, nil
	}
	detail, err := s.detail(ctx, c, err)
	if err != nil {
		return Sample{}, err
	}
	return Sample{Error: detail}, nil
}

// readSample reads people and accounts together, since they are often the same records, and each other kind after them:
// a cap on the records of a read would end it before the others, and applies to people and accounts alone.
func (s *Tester) readSample(ctx context.Context, c Call, want Sampling) (Sample, error) {
	var got sampled
	for _, kinds := range readsOf(c.Purpose, want.Kinds) {
		got.Sampling, got.kinds = want, kinds
		if got.Only = got.missing(want.Only); len(want.Only) > 0 && len(got.Only) == 0 {
			break
		}
		req := v1.SyncRequest{ConnectorBusinessID: c.BusinessID, AuthConfig: c.Auth, Options: &v1.SyncOptions{
			ChunkSize: want.N, Objects: kinds, Mode: v1.ModeRead,
		}}
		if len(want.Only) == 0 && people(kinds[0]) {
			req.Options.MaxRecords = &want.N
		}
		if err := s.Dispatch.Sync(ctx, c.Target, req, got.take); err != nil && !errors.Is(err, errEnough) {
			return Sample{}, err
		}
	}
	return got.Sample, nil
}

// readsOf are the kinds of each read of a sample.
func readsOf(purpose string, wanted []v1.ObjectKind) (reads [][]v1.ObjectKind) {
	able := map[string][]v1.ObjectKind{
		"source": {v1.Identities}, "target": {v1.Accounts, v1.Entitlements, v1.Grants},
	}[purpose]
	var together []v1.ObjectKind
	for _, kind := range []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants} {
		switch {
		case !slices.Contains(wanted, kind) || able != nil && !slices.Contains(able, kind):
		case people(kind):
			together = append(together, kind)
		default:
			reads = append(reads, []v1.ObjectKind{kind})
		}
	}
	if len(together) > 0 {
		reads = append([][]v1.ObjectKind{together}, reads...)
	}
	return reads
}

func people(kind v1.ObjectKind) bool { return kind == v1.Identities || kind == v1.Accounts }

// sampled is a sample on its way. Its Sampling is about the read that goes on.
type sampled struct {
	Sampling
	Sample
	kinds []v1.ObjectKind
	found map[string]bool // external ids that were wanted
}

// missing are those of the ids that no read so far has found.
func (s *sampled) missing(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return s.found[id] })
}

// take keeps what is wanted of a page, and ends the read when there is enough.
func (s *sampled) take(_ context.Context, page v1.SyncResponse) error {
	if slices.Contains(s.kinds, v1.Identities) {
		keep(s, &s.Identities, page.Identities, func(r *v1.RemoteIdentity) []string { return []string{r.ExternalID} })
	}
	if slices.Contains(s.kinds, v1.Accounts) {
		keep(s, &s.Accounts, page.Accounts, func(r *v1.RemoteAccount) []string { return []string{r.ExternalID} })
	}
	if slices.Contains(s.kinds, v1.Entitlements) {
		keep(
			s,
			&s.Entitlements,
			page.Entitlements,
			func(r *v1.RemoteEntitlement) []string { return []string{r.ExternalID} },
		)
	}
	if slices.Contains(s.kinds, v1.Grants) {
		keep(s, &s.Grants, page.Grants, namesOf)
	}
	if s.full() {
		return errEnough
	}
	return nil
}

func namesOf(r *v1.RemoteGrant) []string {
	names := []string{r.ExternalID, r.EntitlementExternalID}
	if r.AccountExternalID != nil {
		names = append(names, *r.AccountExternalID)
	}
	return names
}

func keep[T any](s *sampled, to *[]T, records []T, names func(*T) []string) {
	for i := range records {
		if len(*to) >= s.N {
			return
		}
		at := slices.IndexFunc(names(&records[i]), func(name string) bool { return slices.Contains(s.Only, name) })
		if len(s.Only) > 0 && at < 0 {
			continue
		}
		if at >= 0 {
			if s.found == nil {
				s.found = map[string]bool{}
			}
			s.found[names(&records[i])[at]] = true
		}
		*to = append(*to, records[i])
	}
}

// full reports whether there are as many records of each kind of the read as are wanted.
func (s *sampled) full() bool {
	enough := s.N
	if len(s.Only) > 0 {
		enough = len(s.Only)
	}
	have := map[v1.ObjectKind]int{
		v1.Identities: len(s.Identities), v1.Accounts: len(s.Accounts),
		v1.Entitlements: len(s.Entitlements), v1.Grants: len(s.Grants),
	}
	return !slices.ContainsFunc(s.kinds, func(kind v1.ObjectKind) bool { return have[kind] < enough })
}

package connectorkit_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// book has people in pages of three, with a checkpoint behind each second page.
type book struct {
	pages
	people int
	starts []string // checkpoints that it was asked to go on at
}

func (b *book) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	b.starts = append(b.starts, req.Options.Checkpoint)
	from, _ := strconv.Atoi(req.Options.Checkpoint)
	for at := from; at < b.people; at += 3 {
		page := v1.SyncResponse{Success: true, Page: &v1.Page{HasMore: true}}
		for i := at; i < min(at+3, b.people); i++ {
			page.Identities = append(page.Identities, v1.RemoteIdentity{ExternalID: fmt.Sprint(i)})
			page.Accounts = append(page.Accounts, v1.RemoteAccount{ExternalID: fmt.Sprint(i)})
		}
		if at%6 == 3 {
			page.Page.Checkpoint = fmt.Sprint(at + 3)
		}
		if err := emit(ctx, page); err != nil {
			return err
		}
	}
	whole := []v1.Scope{{Kind: v1.Accounts, Key: "*", Complete: true, Count: b.people}}
	return emit(ctx, v1.SyncResponse{Success: true, Page: &v1.Page{Scopes: whole, Cursor: "c"}})
}

// readRun reads a run, and goes on where it was interrupted after the given number of chunks.
func readRun(
	t *testing.T,
	c connectorkit.Connector,
	run, checkpoint string,
	most, kill int,
) (ids []string, last v1.Page) {
	t.Helper()
	killed := errors.New("killed")
	for {
		req := v1.SyncRequest{
			Options: &v1.SyncOptions{SyncRunID: run, Checkpoint: checkpoint, MaxRecords: &most, ChunkSize: 4},
		}
		chunks := 0
		err := connectorkit.Sync(
			t.Context(),
			c,
			req,
			connectorkit.LimitsOf(req, 0),
			func(_ context.Context, p v1.SyncResponse) error {
				if chunks++; chunks == kill {
					kill = 0
					return killed
				}
				for _, a := range p.Accounts {
					ids = append(ids, a.ExternalID)
				}
				if p.Page.Checkpoint != "" {
					checkpoint = p.Page.Checkpoint
				}
				last = *p.Page
				return nil
			},
		)
		if err == nil {
			return ids, last
		}
		if !errors.Is(err, killed) {
			t.Fatal(err)
		}
	}
}

func TestLimitedRunsContinueWhereTheLastOneStopped(t *testing.T) {
	for most := 1; most <= 12; most++ {
		c := &book{people: 20}
		var all []string
		checkpoint := ""
		for run := 0; ; run++ {
			ids, last := readRun(t, c, fmt.Sprint("run:", run), checkpoint, most, 0)
			if len(ids) > most {
				t.Fatalf("limit %d: run %d read %d accounts", most, run, len(ids))
			}
			all = append(all, ids...)
			checkpoint = last.Checkpoint
			if last.Cursor != "" {
				break
			}
			if len(ids) != most || len(last.Scopes) > 0 || checkpoint == "" {
				t.Fatalf("limit %d: run %d read %d accounts and ended with %+v", most, run, len(ids), last)
			}
		}
		if diff := cmp.Diff(numbers(20), all); diff != "" {
			t.Errorf("limit %d (-want +got)\n%s", most, diff)
		}
	}
}

func TestALimitedRunThatIsInterruptedGoesOnCounting(t *testing.T) {
	for kill := 1; kill <= 7; kill++ {
		c := &book{people: 40}
		ids, last := readRun(t, c, "run", "", 14, kill)
		seen := map[string]bool{}
		for _, id := range ids {
			seen[id] = true
		}
		if len(seen) != 14 || last.Cursor != "" || last.Checkpoint == "" {
			t.Errorf("killed at chunk %d: %d accounts, last page %+v", kill, len(seen), last)
		}
		if kill > 5 && c.starts[1] == "" {
			t.Errorf("killed at chunk %d: the read began anew", kill)
		}
	}
}

func TestAPageOfChangesThatTheLimitCutIsReadAgain(t *testing.T) {
	changes := people(5, "")
	changes.Page = &v1.Page{HasMore: true, Read: &v1.Read{Incremental: true, Strategy: "test"}}
	first := people(2, "")
	first.Page = &v1.Page{HasMore: true, Checkpoint: "two", Read: changes.Page.Read}
	_, last := readRun(t, pages{first, changes}, "run", "", 4, 0)
	ids, _ := readRun(t, pages{changes}, "next", last.Checkpoint, 4, 0)
	if diff := cmp.Diff([]string{"0", "1", "2", "3"}, ids); diff != "" {
		t.Errorf("the next run (-want +got)\n%s", diff)
	}
}

func TestACheckpointOfALimitedRunServesOneWithoutALimit(t *testing.T) {
	c := &book{people: 20}
	_, last := readRun(t, c, "run", "", 8, 0)
	req := v1.SyncRequest{Options: &v1.SyncOptions{SyncRunID: "run", Checkpoint: last.Checkpoint}}
	chunks := []v1.SyncResponse{}
	err := connectorkit.Sync(
		t.Context(),
		c,
		req,
		connectorkit.LimitsOf(req, 0),
		func(_ context.Context, p v1.SyncResponse) error {
			chunks = append(chunks, p)
			return nil
		},
	)
	if err != nil || len(chunks[0].Accounts) != 12 || c.starts[1] != "6" {
		t.Errorf("%v, %d accounts, started at %v", err, len(chunks[0].Accounts), c.starts)
	}
}

func numbers(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint(i))
	}
	return list
}

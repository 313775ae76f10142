package rulebook

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Limits of the books in memory. A tenant beyond them takes the place of others.
const (
	most        = 256
	mostMembers = 100_000_000 // members of duties in all books, of 4 bytes each
)

// books are the books in memory, by tenant. They are shared by the process, as their revisions are by the database.
var books = struct {
	sync.Mutex
	of map[string]*Book
}{of: map[string]*Book{}}

// For returns the policies of the transaction's tenant that are evaluated, as the transaction sees them.
func For(ctx context.Context, tx *pg.Tx) (*Book, error) {
	revision, own, now, err := revisionOf(ctx, tx)
	if err != nil {
		return nil, err
	}
	if own {
		return load(ctx, tx)
	}
	if b := kept(tx.Viewer.Tenant, revision, now); b != nil {
		return b, nil
	}
	b, err := load(ctx, tx)
	if err != nil {
		return nil, err
	}
	b.Revision = revision
	keep(tx.Viewer.Tenant, b)
	return b, nil
}

// revisionOf returns what the transaction sees of changes. own is true if it made some itself.
func revisionOf(ctx context.Context, tx *pg.Tx) (revision string, own bool, now time.Time, err error) {
	const sql = `
		select coalesce(md5(string_agg(c.transaction_id::text, ',' order by c.transaction_id)), ''),
		       coalesce(bool_or(c.transaction_id = pg_current_xact_id_if_assigned()), false), now()
		  from separation_change c`
	if err = tx.QueryRow(ctx, sql).Scan(&revision, &own, &now); err != nil {
		err = fmt.Errorf("read revision of separation-of-duties policies: %w", err)
	}
	return revision, own, now, err
}

// kept returns the book in memory, or nil if it is of another revision or a policy's validity has changed since.
func kept(tenant, revision string, now time.Time) *Book {
	books.Lock()
	defer books.Unlock()
	b := books.of[tenant]
	if b == nil || b.Revision != revision || b.expires != nil && !now.Before(*b.expires) {
		return nil
	}
	return b
}

func keep(tenant string, b *Book) {
	books.Lock()
	defer books.Unlock()
	delete(books.of, tenant)
	members := b.members()
	for _, other := range books.of {
		members += other.members()
	}
	for other, old := range books.of {
		if len(books.of) < most && members <= mostMembers {
			break
		}
		delete(books.of, other)
		members -= old.members()
	}
	books.of[tenant] = b
}

func (b *Book) members() int {
	if b.Rules == nil {
		return 0
	}
	return b.Rules.Members()
}

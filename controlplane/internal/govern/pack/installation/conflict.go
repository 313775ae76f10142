package installation

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Conflict is a row of sector_pack_conflict that is to be written. Base is nil if the tenant had the object before the
// pack; Theirs is nil if the new version no longer has the object.
type Conflict struct {
	ObjectKey
	Names              []string // of the fields in conflict
	Base, Mine, Theirs merge.Fields
}

// RecordConflicts writes open conflicts of an installation. One that is open about the same object becomes superseded.
func RecordConflicts(ctx context.Context, tx *pg.Tx, installation string, all []Conflict) error {
	const supersede = `
		update sector_pack_conflict
		   set state = 'superseded', version = version + 1
		 where tenant_id = current_tenant()
		   and installation_id = $1
		   and kind = $2
		   and object_key = $3
		   and state = 'open'`
	const insert = `
		insert into sector_pack_conflict (tenant_id, id, installation_id, kind, object_key, fields, base, mine, theirs)
		values (current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8)`
	var b pgx.Batch
	for _, d := range all {
		b.Queue(supersede, installation, d.Kind, d.Key)
		b.Queue(
			insert,
			uuid.Must(uuid.NewV7()).String(),
			installation,
			d.Kind,
			d.Key,
			NotNull(d.Names),
			d.Base,
			d.Mine,
			d.Theirs,
		)
	}
	if len(all) == 0 {
		return nil
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("write conflicts: %w", err)
	}
	return nil
}

package position

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// SettingsDigest stands for everything that decides what a connector reads: what was read with other settings is no
// base for reading changes. Secrets are not part of it; a renewed password reads the same target.
func SettingsDigest(ctx context.Context, tx *pg.Tx, connector string) ([]byte, error) {
	const sql = `
		select type, coalesce(vendor_key, ''), purpose, connection::text, mapping_version
		  from connector
		 where tenant_id = current_tenant()
		   and id = $1`
	parts, mappings := make([]string, 4), 0
	if err := tx.QueryRow(ctx, sql, connector).Scan(&parts[0], &parts[1], &parts[2], &parts[3], &mappings); err != nil {
		return nil, fmt.Errorf("digest of settings: %w", err)
	}
	if mappings > 0 {
		parts = append(parts, strconv.Itoa(mappings)) // without any it is the digest of a time when there were none
	}
	b, err := json.Marshal(parts)
	if err != nil {
		return nil, fmt.Errorf("digest of settings: %w", err)
	}
	sum := sha256.Sum256(b)
	return sum[:], nil
}

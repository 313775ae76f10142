package seal

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// ColumnSealer seals the values of one column, for packages that know the rows and need not know of keys.
type ColumnSealer struct {
	Ring  *Keyring
	Place Place // without a row
}

// Seal is Keyring.Seal for the value in a row.
func (c ColumnSealer) Seal(ctx context.Context, tx *pg.Tx, row string, plain []byte) ([]byte, error) {
	return c.Ring.Seal(ctx, tx, c.at(row), plain)
}

// Open is Keyring.Open for the value in a row.
func (c ColumnSealer) Open(ctx context.Context, tx *pg.Tx, row string, sealed []byte) ([]byte, error) {
	return c.Ring.Open(ctx, tx, c.at(row), sealed)
}

// at is the place of one row's value, which is authenticated with it: a sealed value that is copied
// to another row, column or table cannot be opened there.
func (c ColumnSealer) at(row string) Place {
	c.Place.Row = row
	return c.Place
}

package pg

// Page asks for a part of a list: Limit rows from Offset, or Limit rows after the key that a cursor holds.
type Page struct {
	Limit  int
	Offset int
	After  []string // the last row's sort key and id, as text; empty: from the start
}

package rulebook

import (
	"testing"
	"time"
)

func TestABookInMemoryIsUsedUntilAPolicyBeginsOrEnds(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	b := &Book{Revision: "a", expires: &at}
	keep("a tenant", b)
	if kept("a tenant", "a", at.Add(-time.Second)) != b {
		t.Error("the book is not used before the time")
	}
	if kept("a tenant", "a", at) != nil {
		t.Error("the book is used although a policy begins now")
	}
	if kept("a tenant", "b", at.Add(-time.Second)) != nil || kept("another", "a", at.Add(-time.Second)) != nil {
		t.Error("the book is used for another revision or tenant")
	}
}

func TestBooksInMemoryAreBounded(t *testing.T) {
	for i := range 2 * most {
		keep(time.Duration(i).String(), &Book{})
	}
	if len(books.of) > most {
		t.Errorf("%d books in memory; want at most %d", len(books.of), most)
	}
}

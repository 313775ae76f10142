package block

import ()

// Candidates are found without comparing everybody with everybody: the accounts' values are put into an index for each
// rule, and people are looked up in it as they stream by.

// maxShared is how many people a value may belong to before it identifies no one: a department is no key.
const maxShared = 25

// Entry is one value of accounts and the people who have it, or one like it.
type Entry struct {
	// Subjects are indexes of accounts, People indexes of people.
	Subjects []int32
	People   []int32
	common   bool
}

// Meet notes a person who has the value, or one like it, unless too many share it.
func (e *Entry) Meet(who int32) {
	switch n := len(e.People); {
	case e.common, n > 0 && e.People[n-1] == who:
	case n == maxShared:
		e.common, e.People = true, nil
	default:
		e.People = append(e.People, who)
	}
}

// Index is an index of accounts by what one rule compares. Values are added first; Seal comes once, before the first
// Find.
type Index interface {
	Add(value string, subject int32)
	Seal()
	Find(value string, visit func(*Entry))
	Each(visit func(*Entry))
}

// Values finds equal values.
type Values struct{ At map[string]*Entry }

// Add puts a value of an account, by its number, into the index.
func (x *Values) Add(value string, subject int32) {
	entryOf(x.At, value).Subjects = append(entryOf(x.At, value).Subjects, subject)
}

// Seal does nothing: the index needs no preparation.
func (x *Values) Seal() {}

// Find visits the entry of a value, if there is one.
func (x *Values) Find(value string, visit func(*Entry)) {
	if e := x.At[value]; e != nil {
		visit(e)
	}
}

// Each visits all entries.
func (x *Values) Each(visit func(*Entry)) {
	for _, e := range x.At {
		visit(e)
	}
}

// entryOf is the entry of a value, made when there is none.
func entryOf(at map[string]*Entry, value string) *Entry {
	e := at[value]
	if e == nil {
		e = &Entry{}
		at[value] = e
	}
	return e
}

package limit

import "container/list"

// most is how many tokens or addresses are remembered; of more, the one unused for longest is forgotten.
const most = 100_000

// recent is a map that forgets what was unused for longest. It is not safe for concurrent use.
type recent[K comparable, V any] struct {
	size  int
	order *list.List // of *slot[K, V], the latest first
	slots map[K]*list.Element
}

type slot[K comparable, V any] struct {
	key   K
	value V
}

func newRecent[K comparable, V any](size int) *recent[K, V] {
	return &recent[K, V]{size: size, order: list.New(), slots: map[K]*list.Element{}}
}

// get is the value of a key, which fresh makes when there is none.
func (r *recent[K, V]) get(key K, fresh func() V) *V {
	if e, ok := r.slots[key]; ok {
		r.order.MoveToFront(e)
		return &e.Value.(*slot[K, V]).value
	}
	s := &slot[K, V]{key: key, value: fresh()}
	r.slots[key] = r.order.PushFront(s)
	if r.order.Len() > r.size {
		oldest := r.order.Back()
		delete(r.slots, r.order.Remove(oldest).(*slot[K, V]).key)
	}
	return &s.value
}

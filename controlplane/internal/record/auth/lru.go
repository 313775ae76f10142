package auth

import (
	"container/list"
	"sync"
)

// lru keeps the values that were used last, up to a number.
type lru[K comparable, V any] struct {
	mu    sync.Mutex
	max   int
	order *list.List // of entry[K, V], the newest in front
	index map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

func newLRU[K comparable, V any](max int) *lru[K, V] {
	return &lru[K, V]{max: max, order: list.New(), index: map[K]*list.Element{}}
}

func (c *lru[K, V]) get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.index[key]
	if !ok {
		var none V
		return none, false
	}
	c.order.MoveToFront(e)
	return e.Value.(entry[K, V]).value, true
}

func (c *lru[K, V]) put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.index[key]; ok {
		e.Value = entry[K, V]{key, value}
		c.order.MoveToFront(e)
		return
	}
	c.index[key] = c.order.PushFront(entry[K, V]{key, value})
	if c.order.Len() > c.max {
		oldest := c.order.Back()
		c.order.Remove(oldest)
		delete(c.index, oldest.Value.(entry[K, V]).key)
	}
}

// drop forgets every entry that match accepts.
func (c *lru[K, V]) drop(match func(K, V) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, e := range c.index {
		if match(key, e.Value.(entry[K, V]).value) {
			c.order.Remove(e)
			delete(c.index, key)
		}
	}
}

package lru

import (
	"container/list"
	"sync"
)

// Cache keeps the values that were used last, up to a number. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	mu    sync.Mutex
	max   int
	order *list.List // of entry[K, V], the newest in front
	index map[K]*list.Element
}

// entry is a value with its key, which the eviction needs.
type entry[K comparable, V any] struct {
	key   K
	value V
}

// New makes an empty cache that keeps max values.
func New[K comparable, V any](max int) *Cache[K, V] {
	return &Cache[K, V]{max: max, order: list.New(), index: map[K]*list.Element{}}
}

// Get returns the value of a key, if it is kept. The value then counts as used.
func (c *Cache[K, V]) Get(key K) (V, bool) {
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

// Put keeps a value. If there are more than the cache keeps, the one that was not used for the longest time is dropped.
func (c *Cache[K, V]) Put(key K, value V) {
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

// Drop forgets every entry that match accepts.
func (c *Cache[K, V]) Drop(match func(K, V) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, e := range c.index {
		if match(key, e.Value.(entry[K, V]).value) {
			c.order.Remove(e)
			delete(c.index, key)
		}
	}
}

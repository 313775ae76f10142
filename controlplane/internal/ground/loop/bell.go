package loop

import "sync"

// Bell says that there may be something to do. However often it is rung while nobody listens, it is heard once. Its
// zero value is ready to be used; it must not be copied.
type Bell struct {
	once sync.Once
	rung chan struct{}
}

// Ring rings. It never waits.
func (b *Bell) Ring() {
	b.init()
	select {
	case b.rung <- struct{}{}:
	default:
	}
}

// Rung gives a value once after the bell was rung. That of a nil Bell never does.
func (b *Bell) Rung() <-chan struct{} {
	if b == nil {
		return nil
	}
	b.init()
	return b.rung
}

func (b *Bell) init() {
	b.once.Do(func() { b.rung = make(chan struct{}, 1) })
}

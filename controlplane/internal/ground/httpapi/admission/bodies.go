package admission

import (
	"container/list"
	"net/netip"
	"sync"

	"github.com/grantwright/grantwright/controlplane/internal/ground/limit/network"
)

const (
	mostFromOne  = 256  // bodies on their way from one network
	mostArriving = 4096 // bodies on their way in all
)

// Bodies are the bodies on their way. When there are too many, the oldest is cut off and not the newest refused: a
// body that is sent at once is whole before it can become the oldest.
type Bodies struct {
	mu    sync.Mutex
	order *list.List // of *arrival, the oldest first
	by    map[netip.Prefix]*list.List
}

// Body is a body on its way.
type Body struct {
	from       netip.Prefix
	cut        func()
	all, among *list.Element
}

// NewBodies returns the bodies of a process that has just begun.
func NewBodies() *Bodies { return &Bodies{order: list.New(), by: map[netip.Prefix]*list.List{}} }

// Enter takes note of a body, and cuts the oldest off where there are too many from its address or altogether.
func (a *Bodies) Enter(address string, cut func()) *Body {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := &Body{from: network.Of(address), cut: cut}
	mine := a.by[n.from]
	if mine == nil {
		mine = list.New()
		a.by[n.from] = mine
	}
	n.all, n.among = a.order.PushBack(n), mine.PushBack(n)
	switch {
	case mine.Len() > mostFromOne:
		a.drop(mine.Front().Value.(*Body)) //nolint:forcetypeassert // nothing else is in it
	case a.order.Len() > mostArriving:
		a.drop(a.order.Front().Value.(*Body)) //nolint:forcetypeassert // nothing else is in it
	}
	return n
}

// Leave forgets a body that has arrived or failed. One that was cut off is forgotten already.
func (a *Bodies) Leave(n *Body) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.remove(n)
}

func (a *Bodies) drop(n *Body) {
	a.remove(n)
	n.cut()
}

// remove forgets an arrival; once more is nothing.
func (a *Bodies) remove(n *Body) {
	if n.all == nil {
		return
	}
	mine := a.by[n.from]
	a.order.Remove(n.all)
	mine.Remove(n.among)
	if mine.Len() == 0 {
		delete(a.by, n.from)
	}
	n.all, n.among = nil, nil
}

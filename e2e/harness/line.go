package harness

import (
	"net"
	"net/url"
	"sync"
)

// Line is the way of a process to the deployment's private PostgreSQL, which a test can cut and mend.
type Line struct {
	listener net.Listener
	to       string // socket of the database
	ends     sync.WaitGroup

	mu     sync.Mutex
	whole  *sync.Cond // wakes those that wait while the line is silent
	cut    bool
	silent bool
	open   map[net.Conn]bool
}

// Line lays a line to the database. It ends with the test, after whatever was started later.
func (h *House) Line() *Line {
	h.t.Helper()
	u, err := h.databaseURL()
	h.check(err)
	network, address := "tcp", u.Host
	if q := u.Query(); q.Get("host") != "" {
		network, address = "unix", q.Get("host")+"/.s.PGSQL."+q.Get("port")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	h.check(err)
	l := &Line{listener: listener, to: address, open: map[net.Conn]bool{}}
	l.whole = sync.NewCond(&l.mu)
	l.ends.Go(func() { l.accept(network) })
	h.t.Cleanup(func() {
		_ = listener.Close()
		l.Cut()
		l.ends.Wait()
	})
	return l
}

// lead is a database's URL by this line.
func (l *Line) lead(u url.URL) url.URL {
	u.Host, u.RawQuery = l.listener.Addr().String(), ""
	return u
}

// Cut ends every connection and lets nobody in.
func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut, l.silent = true, false
	for c := range l.open {
		_ = c.Close()
	}
	l.whole.Broadcast()
}

// Silence lets connections be, and passes nothing on.
func (l *Line) Silence() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.silent = true
}

// Mend ends both.
func (l *Line) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut, l.silent = false, false
	l.whole.Broadcast()
}

func (l *Line) accept(network string) {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		database, err := net.Dial(network, l.to)
		if err != nil || !l.track(client, database) {
			_ = client.Close()
			if database != nil {
				_ = database.Close()
			}
			continue
		}
		l.ends.Go(func() { l.pass(client, database) })
		l.ends.Go(func() { l.pass(database, client) })
	}
}

func (l *Line) track(pair ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range pair {
		l.open[c] = !l.cut
	}
	return !l.cut
}

// pass copies one way until either end is gone.
func (l *Line) pass(to, from net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		l.mu.Lock()
		for l.silent {
			l.whole.Wait()
		}
		l.mu.Unlock()
		if n > 0 && err == nil {
			_, err = to.Write(buffer[:n])
		}
		if err != nil {
			break
		}
	}
	_, _ = to.Close(), from.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, to)
	delete(l.open, from)
}

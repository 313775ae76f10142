package regex

// MaxCached is how many entries a cache may have for a pattern to be added to it.
const MaxCached = 32

// maxCachedBytes is what a pattern may have cost to be remembered.
const maxCachedBytes = 64 << 10

// cached is a compiled pattern with what it cost, which is charged every time it is used: an expression costs the same
// whether or not its patterns have been compiled before.
type cached struct {
	pattern      *Pattern
	steps, bytes int
}

type cacheKey struct {
	source string
	flags  Flags
}

// recorder is a Meter that notes down what it passes on.
type recorder struct {
	meter        Meter
	steps, bytes int
}

func (r *recorder) Steps(n int) { r.steps += n; r.meter.Steps(n) }

func (r *recorder) Alloc(n int) { r.bytes += n; r.meter.Alloc(n) }

// CompileCached is Compile with a cache, which it makes when *cache is nil. It gives the same *Pattern for the same
// source and flags while the cache remembers it. Others may keep entries of their own types in the same map; they count
// towards MaxCached. The cache is for one goroutine at a time.
func CompileCached(m Meter, cache *map[any]any, source string, flags Flags) (*Pattern, error) {
	key := cacheKey{source, flags}
	if c, ok := (*cache)[key].(cached); ok {
		m.Steps(c.steps)
		m.Alloc(c.bytes)
		return c.pattern, nil
	}
	r := &recorder{meter: m}
	p, err := Compile(r, source, flags)
	if err != nil {
		return nil, err
	}
	if len(*cache) < MaxCached && r.bytes < maxCachedBytes {
		if *cache == nil {
			*cache = map[any]any{}
		}
		(*cache)[key] = cached{p, r.steps, r.bytes}
	}
	return p, nil
}

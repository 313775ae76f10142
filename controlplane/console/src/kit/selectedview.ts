/**
 * The views that are in effect. One that asks for nothing is in effect where nothing else is; of the others each whose filters are all set,
 * so that no filter narrows the list without being shown, but for those that another one in effect contains.
 */
export function selectedView<V extends { query: Record<string, string> }>(known: V[], filters: Record<string, string>): V[] {
  const asks = (v: V) => Object.entries(v.query);
  const holds = known.filter((v) => asks(v).every(([n, value]) => filters[n] === value));
  if (Object.keys(filters).length === 0) return holds;
  const within = (v: V, w: V) => asks(v).length < asks(w).length && asks(v).every(([n, value]) => w.query[n] === value);
  return holds.filter((v) => asks(v).length > 0 && !holds.some((w) => within(v, w)));
}

/** Whether two queries ask for the same. */
export function sameQuery(a: Record<string, string>, b: Record<string, string>) {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((n) => a[n] === b[n]);
}

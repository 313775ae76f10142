/** When the next turns begin, by plain time. Turns of whole days may begin an hour earlier or later when clocks change. */
export function nextShifts(people: number, start: string, shift: number, now: number, many: number): { who: number; at: string }[] {
  if (people === 0 || shift <= 0) return [];
  const begun = Date.parse(start);
  const gone = Math.max(0, Math.floor((now - begun) / 1000 / shift) + 1);
  return Array.from({ length: many }, (_, i) => ({
    who: (gone + i) % people,
    at: new Date(begun + (gone + i) * shift * 1000).toISOString(),
  }));
}

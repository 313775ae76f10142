import { useEffect, useState } from "react";

/** A value once it has rested for so many milliseconds; at once without them. An object is a new one each time: give it as text. */
export function useDebounced<T>(value: T, ms: number): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    if (!ms) return undefined;
    const due = setTimeout(() => setRested(value), ms);
    return () => clearTimeout(due);
  }, [value, ms]);
  return ms ? rested : value;
}

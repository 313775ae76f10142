import { type RefObject, useEffect, useRef, useState } from "react";

/** Rows in a block: enough that few are watched, and few enough that little too much is drawn. */
export const blockSize = 40;

/** Cuts a list into parts of at most size. */
export function parts<T>(list: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}

/**
 * Whether a block of rows is near to what is seen, and its height while it is not: something empty of that height stands for it then, so that
 * thousands of rows stay as light as a few. first: it is near before anybody has looked. guess: its height until it was seen, in pixels.
 */
export function useNearViewport<E extends HTMLElement>(
  first: boolean,
  guess: number,
): { place: RefObject<E | null>; near: boolean; height: number } {
  const place = useRef<E>(null);
  const drawn = useRef(first);
  const [near, setNear] = useState(first);
  const [height, setHeight] = useState(guess);
  drawn.current = near;
  useEffect(() => {
    const at = place.current;
    if (!at) return;
    const observer = new IntersectionObserver(
      (all) => {
        const seen = all.at(-1); // whoever scrolls fast comes and goes before one is told
        if (!seen) return;
        if (!seen.isIntersecting && drawn.current) setHeight(seen.boundingClientRect.height);
        setNear(seen.isIntersecting);
      },
      { rootMargin: "1500px 0px" },
    );
    observer.observe(at);
    return () => observer.disconnect();
  }, []);
  return { place, near, height };
}

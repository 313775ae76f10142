import { type RefObject, useEffect, useLayoutEffect, useReducer, useState } from "react";

/**
 * How many of all filters fit into a row. One less is tried before anything is painted, until the row is one line. A row that is not one line
 * even without any of them takes several, and is marked as full. It is used by the component that draws the row: its children have no
 * reference to it when they are drawn first.
 */
export function useFitting(line: RefObject<HTMLElement | null>, all: number): number {
  const [room, setRoom] = useState(() => most(all));
  const [, again] = useReducer((n: number) => n + 1, 0);
  useEffect(() => {
    const row = line.current;
    if (!row) return undefined;
    let width = row.clientWidth;
    const anew = () => {
      row.removeAttribute("data-full");
      setRoom(most(all));
      again();
    };
    const observer = new ResizeObserver(() => {
      if (row.clientWidth === width) return;
      width = row.clientWidth;
      anew();
    });
    observer.observe(row);
    // A row whose contents grow where they are, such as by the wider text spacing of a user's style sheet, keeps its own width.
    const grown = new ResizeObserver(() => {
      if (row.scrollWidth > row.clientWidth + 1) again();
    });
    for (const child of row.children) grown.observe(child);
    // Letters have another width then: a row that was too full with those of another font may hold all of it.
    if (document.fonts.status !== "loaded") void document.fonts.ready.then(anew);
    return () => {
      observer.disconnect();
      grown.disconnect();
    };
  }, [line, all]);
  useLayoutEffect(() => {
    const row = line.current;
    if (!row || row.scrollWidth <= row.clientWidth + 1) return;
    if (room > 0) setRoom(Math.min(room, all) - 1);
    else row.setAttribute("data-full", "");
  });
  return Math.min(room, all);
}

/** In a narrow window the row takes several lines, and all filters are behind the button from the start. */
const most = (all: number) => (matchMedia("(max-width: 900px)").matches ? 0 : all);

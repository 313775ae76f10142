import type { May } from "../api/use";
import { mayOpen, places } from "./places";

/** Keys that belong together. Each is what is pressed, one after the other, and what it does. */
type KeyArea = { title: string; keys: [string[], string][] };

/** All keys, by where they work; of the screens only those that somebody may open. */
export function keyAreas(may: May): KeyArea[] {
  return [
    {
      title: "Everywhere",
      keys: [
        [["Ctrl K"], "search, or enter a command"],
        [["/"], "search the list"],
        [["?"], "show keyboard shortcuts"],
        [["Esc"], "close, or clear the search"],
      ],
    },
    { title: "Go to", keys: places.filter((p) => p.key && mayOpen(p, may)).map((p) => [["G", (p.key ?? "").toUpperCase()], p.title]) },
    {
      title: "Lists",
      keys: [
        [["J"], "next row (also ↓)"],
        [["K"], "previous row (also ↑)"],
        [["Enter"], "open the row"],
        [["X"], "select the row"],
        [["Shift X"], "select a range of rows"],
        [["Ctrl A"], "select all rows of the page"],
      ],
    },
    {
      title: "Inbox",
      keys: [
        [["A"], "approve, or the first action"],
        [["R"], "reject"],
        [["D"], "reassign"],
        [["C"], "write a comment"],
        [["Z"], "undo the last decision"],
        [["]"], "next task"],
        [["["], "previous task"],
        [["U"], "back to the list"],
      ],
    },
    ...(may.admin ? [{ title: "Connect a system", keys: [[["Ctrl Enter"], "continue"]] as KeyArea["keys"] }] : []),
  ];
}

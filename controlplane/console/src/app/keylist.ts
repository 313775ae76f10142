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
        [["Ctrl K"], "search, or say what to do"],
        [["/"], "search the list"],
        [["?"], "show these keys"],
        [["Esc"], "close, or clear the search"],
      ],
    },
    { title: "Go to", keys: places.filter((p) => p.key && mayOpen(p, may)).map((p) => [["G", (p.key ?? "").toUpperCase()], p.title]) },
    {
      title: "Lists",
      keys: [
        [["J"], "next row (also ↓)"],
        [["K"], "row before (also ↑)"],
        [["Enter"], "open the row"],
        [["X"], "select the row"],
        [["Shift X"], "select up to here"],
        [["Ctrl A"], "select all of the page"],
      ],
    },
    {
      title: "Inbox",
      keys: [
        [["A"], "approve, or what else is offered first"],
        [["R"], "reject"],
        [["D"], "give it to somebody else"],
        [["C"], "write a comment"],
        [["Z"], "undo the last decision"],
        [["]"], "next task"],
        [["["], "task before"],
        [["U"], "back to the list"],
      ],
    },
    ...(may.admin ? [{ title: "Connecting a system", keys: [[["Ctrl Enter"], "continue"]] as KeyArea["keys"] }] : []),
  ];
}

import * as text from "#text/app";
import type { Permissions } from "../api/use";
import { mayOpen, places } from "./places";

/** Keys that belong together. Each is what is pressed, one after the other, and what it does. */
type KeyArea = { title: string; keys: [string[], string][] };

/** All keys, by where they work; of the screens only those that somebody may open. */
export function keyAreas(may: Permissions): KeyArea[] {
  return [
    {
      title: text.everywhere,
      keys: [
        [[text.ctrlK], text.searchOrEnterACommandLower],
        [["/"], text.searchTheList],
        [["?"], text.showKeyboardShortcutsLower],
        [[text.esc], text.closeOrClearTheSearch],
      ],
    },
    { title: text.goTo, keys: places.filter((p) => p.key && mayOpen(p, may)).map((p) => [["G", (p.key ?? "").toUpperCase()], p.title]) },
    {
      title: text.lists,
      keys: [
        [["J"], text.nextRow],
        [["K"], text.previousRow],
        [["Enter"], text.openTheRow],
        [["X"], text.selectTheRow],
        [[text.shiftX], text.selectARangeOfRows],
        [[text.ctrlA], text.selectAllRowsOfThePage],
      ],
    },
    {
      title: text.inbox,
      keys: [
        [["A"], text.approveOrTheFirstAction],
        [["R"], "reject"],
        [["D"], "reassign"],
        [["C"], text.writeAComment],
        [["Z"], text.undoTheLastDecision],
        [["]"], text.nextTask],
        [["["], text.previousTask],
        [["U"], text.backToTheList],
      ],
    },
    ...(may.admin ? [{ title: text.connectASystem, keys: [[[text.ctrlEnter], "continue"]] as KeyArea["keys"] }] : []),
  ];
}

import { expect, test } from "vitest";
import { selectedView } from "./selectedview";

const view = (name: string, query: Record<string, string>) => ({ name, query });
const all = view("All", {});
const orphaned = view("Orphaned", { orphaned: "true" });
const machines = view("Machines", { kind: "machine" });
const lost = view("Orphaned machines", { orphaned: "true", kind: "machine" });
const names = (filters: Record<string, string>) => selectedView([all, orphaned, machines, lost], filters).map((v) => v.name);

test("the view of everything is in effect where no filter is", () => {
  expect(names({})).toEqual(["All"]);
  expect(names({ status: "active" })).toEqual([]);
});

test("a view stays in effect beside other filters, so that none narrows the list unseen", () => {
  expect(names({ orphaned: "true", status: "active" })).toEqual(["Orphaned"]);
});

test("of views within each other the narrowest is in effect", () => {
  expect(names({ orphaned: "true", kind: "machine" })).toEqual(["Orphaned machines"]);
});

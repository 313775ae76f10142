import type { Of } from "../../api/types";

/** A change that a run made or would make. */
export type Change = Of<"Change"> & { id: string };

import type { Of } from "../../api/types";

/** A field of which discovery found something new, as a row. */
export type DiffRow = {
  key: string;
  object: string;
  path: string;
  sign: "+" | "−" | "~";
  before: string;
  now: string;
  samples: string[];
  proposal: string;
  /** What is lost by it, where something is. */
  loses: string;
  decided: Of<"SchemaDecision"> | undefined;
};

import * as text from "#text/separation";
import { Tabs } from "../../kit/elements";

/** The lists of separation of duties: policies, the duties that they name, controls, and where these are applied. */
export const Sections = () => (
  <Tabs
    label={text.sections}
    of={[
      { words: text.policies, to: "/separation-of-duties" },
      { words: text.duties, to: "/separation-of-duties/duties" },
      { words: text.controls, to: "/separation-of-duties/controls" },
      { words: text.mitigations, to: "/separation-of-duties/mitigations" },
    ]}
  />
);

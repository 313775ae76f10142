import * as text from "#text/separation";
import { Tabs } from "../../kit/elements";

/** The two lists of separation of duties: policies, and the duties that they name. */
export const Sections = () => (
  <Tabs
    label={text.sections}
    of={[
      { words: text.policies, to: "/separation-of-duties" as never },
      { words: text.duties, to: "/separation-of-duties/duties" as never },
    ]}
  />
);

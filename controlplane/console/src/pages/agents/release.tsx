import * as text from "#text/agents";
import { Check } from "../../kit/fields";

/** The explicit release of stored credentials to an agent that joins a group. */
export const Release = ({ value, set }: { value: boolean; set: (v: boolean) => void }) => (
  <Check value={value} set={set} label={text.releaseTheStoredCredentialsOfThe} />
);

import { Check } from "../../kit/fields";

/** The explicit release of stored credentials to an agent that joins a group. */
export const Release = ({ value, set }: { value: boolean; set: (v: boolean) => void }) => (
  <Check value={value} set={set} label="Release the stored credentials of the group's connectors to this agent" />
);

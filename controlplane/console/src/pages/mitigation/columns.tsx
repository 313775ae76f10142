import * as text from "#text/mitigation";
import { Text, When } from "../../kit/kit";
import { Link } from "../../kit/link";
import type { Column } from "../../kit/list";
import { PersonLink } from "../../kit/personlink";
import { State } from "../../kit/state";
import { type Mitigation, stateTone, stateWords } from "./words";

export const MitigationState = ({ of }: { of: string }) => <State of={of} tone={stateTone(of)} words={stateWords(of)} />;

/** The columns of a list of mitigations. */
export const mitigationColumns: Column<Mitigation>[] = [
  {
    title: text.control,
    text: (m) => m.mitigation_policy.display,
    cell: (m) => (
      <Link to="/separation-of-duties/mitigations/$id" params={{ id: m.id }}>
        <Text of={m.mitigation_policy.display} />
      </Link>
    ),
  },
  {
    title: text.person,
    text: (m) => m.identity.display,
    cell: (m) => (
      <PersonLink id={m.identity.id}>
        <Text of={m.identity.display} />
      </PersonLink>
    ),
  },
  { title: text.policy, text: (m) => m.policy.display, cell: (m) => <Text of={m.policy.display} /> },
  { title: text.state, text: (m) => stateWords(m.state), cell: (m) => <MitigationState of={m.state} /> },
  { title: text.owner, text: (m) => m.owner.display, cell: (m) => <Text of={m.owner.display} /> },
  {
    title: text.evidenceDue,
    text: (m) => m.next_evidence_due_at,
    cell: (m) => <When at={m.next_evidence_due_at ?? null} none={text.never} />,
  },
  {
    title: text.ends,
    text: (m) => m.ended_at ?? m.ends_at,
    cell: (m) => <When at={m.ended_at ?? m.ends_at ?? null} none={text.never} />,
  },
];

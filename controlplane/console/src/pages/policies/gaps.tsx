import * as text from "#text/policies";
import type { Of } from "../../api/types";
import { Part, Text, When } from "../../kit/kit";
import { type Column, List } from "../../kit/list";
import { PersonLink } from "../../kit/personlink";
import { State } from "../../kit/state";

type Gap = Of<"RequirementGap">;

const tones = { open: "warn", exempted: "neutral", closed: "ok" } as const;
const stateWords = { open: text.openGaps, exempted: text.exempted, closed: text.closedGaps };

const columns: Column<Gap>[] = [
  {
    title: text.person,
    text: (g) => g.identity.display,
    cell: (g) => (
      <PersonLink id={g.identity.id}>
        <bdi>{g.identity.display}</bdi>
      </PersonLink>
    ),
  },
  {
    title: text.lacks,
    wide: true,
    text: (g) => g.missing.map((m) => m.display).join(", "),
    cell: (g) => <Text of={g.missing.map((m) => m.display).join(", ")} />,
  },
  {
    title: text.state,
    text: (g) => g.state,
    cell: (g) => (
      <>
        <State of={g.state} tone={tones[g.state]} words={stateWords[g.state]} />
        {g.exemption && <span className="small muted"> {text.exemptedUntilDate(<When at={g.exemption.until} />)}</span>}
      </>
    ),
  },
  { title: text.found, sort: "opened_at", text: (g) => g.opened_at, cell: (g) => <When at={g.opened_at} /> },
];

/** Who lacks what a policy requires. */
export function Gaps({ policy }: { policy: string }) {
  return (
    <Part title={text.requirementGaps} lead={text.peopleWhoLackWhatThePolicy}>
      <List<Gap>
        path="/policies/requirement-gaps"
        label={text.requirementGaps}
        prefix="gaps"
        fixed={{ policy_id: policy }}
        columns={columns}
        views={[
          { name: text.openGaps, query: { state: "open" } },
          { name: text.exempted, query: { state: "exempted" } },
          { name: text.closedGaps, query: { state: "closed" } },
        ]}
        search={text.namesOfPeople}
        csv="requirement-gaps"
        every={15_000}
        empty={{ title: text.noOneLacksAnything, words: text.gapsAreFoundWhenPeopleChange }}
      />
    </Part>
  );
}

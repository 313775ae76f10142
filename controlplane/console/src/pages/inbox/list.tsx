import { memo, useMemo } from "react";
import * as text from "#text/inbox";
import { basePath } from "../../api/base";
import { Risk } from "../../kit/state";
import { relativeTime } from "../../kit/time";
import { blockSize, parts, useNearViewport } from "../../kit/viewport";
import { type Group, kindWords, type Search, type Task, words } from "./tasks";

type RowProps = {
  task: Task;
  open: boolean;
  chosen: boolean;
  why: string | undefined;
  selectable: boolean;
  now: number;
  search: Search;
  mark: (id: string, range: boolean) => void;
  show: (id: string) => void;
};

// A plain link: thousands of the router's would each look at every change of the address.
const hrefOf = (search: Search, task: string) => `${basePath}/inbox?${new URLSearchParams({ ...search, task })}`;

/** A task in the list: what is asked, of what kind it is, when it is due. */
const Row = memo(function Row({ task, open, chosen, why, selectable, now, search, mark, show }: RowProps) {
  const late = task.due_at && Date.parse(task.due_at) < now;
  return (
    <li className="inbox-row" data-at={open || undefined} data-chosen={chosen || undefined} id={`task-${task.id}`}>
      {selectable && (
        <input
          type="checkbox"
          data-reads=""
          aria-label={text.selectTitle(task.title)}
          checked={chosen}
          onChange={() => undefined}
          onClick={(e) => mark(task.id, e.shiftKey)}
        />
      )}
      <a
        href={hrefOf(search, task.id)}
        onClick={(e) => {
          if (e.metaKey || e.ctrlKey || e.shiftKey || e.button !== 0) return;
          e.preventDefault();
          show(task.id);
        }}
        aria-current={open ? "true" : undefined}
        className="inbox-open"
      >
        <span className="inbox-name" dir="auto">
          {task.title}
        </span>
        <span className="small muted inbox-meta">
          {kindWords(task.kind)}
          {task.source.display && ` · ${task.source.display}`}
          {words(task.context, "item", "system") && ` · ${words(task.context, "item", "system")}`}
          {task.acting_for && text.delegatedByActingForText(task.acting_for.display)}
          {task.claimed_by && text.claimedByClaimedByText(task.claimed_by.display)}
          {task.due_at && (
            <>
              {" · "}
              <time dateTime={task.due_at} title={task.due_at} className={late ? "bad" : undefined}>
                {late ? text.overdueDue : text.dueLower} {relativeTime(task.due_at, now)}
              </time>
            </>
          )}
        </span>
        {why && (
          <span className="small bad" role="status">
            {text.notSavedWhy(why)}
          </span>
        )}
      </a>
      <Risk of={task.risk_level} />
    </li>
  );
});

type Props = {
  groups: Group[];
  open: string | undefined;
  chosen: Map<string, Task>;
  refused: ReadonlyMap<string, { why: string }>;
  selectable: boolean;
  now: number;
  search: Search;
  counts: Map<string, number>;
  mark: (id: string, range: boolean) => void;
  show: (id: string) => void;
  markGroup: (group: Group) => void;
};

/** The tasks, group by group, and within a group block by block. */
export function Tasks(p: Props) {
  const groups = useMemo(() => p.groups.map((g) => ({ group: g, blocks: parts(g.tasks, blockSize) })), [p.groups]);
  return groups.map(({ group: g, blocks }, n) => (
    <section key={g.key} aria-label={g.words || text.tasks}>
      {g.words && <GroupHead {...p} group={g} />}
      <div className="inbox-rows">
        {blocks.map((tasks, i) => (
          <Block
            key={tasks[0]?.id}
            tasks={tasks}
            first={i === 0 && n < 8}
            open={tasks.some((t) => t.id === p.open) ? p.open : undefined}
            chosen={p.chosen}
            refused={p.refused}
            selectable={p.selectable}
            now={p.now}
            search={p.search}
            mark={p.mark}
            show={p.show}
          />
        ))}
      </div>
    </section>
  ));
}

function GroupHead({ group, chosen, selectable, counts, markGroup }: Props & { group: Group }) {
  return (
    <div className="inbox-group">
      {selectable && (
        <input
          type="checkbox"
          data-reads=""
          aria-label={text.selectAllOfWords(group.words)}
          checked={group.tasks.every((t) => chosen.has(t.id))}
          onChange={() => markGroup(group)}
        />
      )}
      <h2 dir="auto">{group.words}</h2>
      <span className="small muted num">{(counts.get(group.key) ?? group.tasks.length).toLocaleString("en")}</span>
    </div>
  );
}

type BlockProps = Omit<Props, "groups" | "counts" | "markGroup"> & { tasks: Task[]; first: boolean };

/** Some rows, drawn while they are near to what is seen. The block with the open task is always there. */
const Block = memo(function Block({ tasks, first, open, chosen, refused, ...rest }: BlockProps) {
  const { place, near, height } = useNearViewport<HTMLUListElement>(first, tasks.length * usual);
  const drawn = near || open !== undefined;
  if (!drawn) return <ul ref={place} style={{ height }} aria-hidden />;
  return (
    <ul ref={place}>
      {tasks.map((t) => (
        <Row key={t.id} task={t} open={t.id === open} chosen={chosen.has(t.id)} why={refused.get(t.id)?.why} {...rest} />
      ))}
    </ul>
  );
});

const usual = 72; // pixels of a row, until it was seen

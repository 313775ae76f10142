import { Pencil, X } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import * as text from "#text/decisiontables";
import { Dialog } from "../../kit/dialog";
import { Button, Table } from "../../kit/kit";
import { Menu } from "../../kit/menu";
import { State } from "../../kit/state";
import { ManyPick, Named } from "../policies/manypick";
import "./decisiontables.css";
import { type Check, type Draft, edits, type Row } from "./draft";

/** How many rows are shown at once: a table of thousands is turned through. */
export const rowsShown = 50;

type Props = {
  of: Draft;
  set: (d: Draft) => void;
  /** What is wrong with a member of the table, by its pointer within it. */
  wrong: (pointer: string) => string | undefined;
  check: Check | undefined;
  /** Nothing can be written. */
  closed: boolean;
  /** The first row that is shown, counted from 0. */
  from: number;
};

/** The rows of a table. Enter moves to the same column of the next row, and with shift to the previous one. */
export function Grid({ of: d, set, wrong, check, closed, from }: Props) {
  const [editing, edit] = useState<number>();
  const shown = d.rows.slice(from, from + rowsShown);
  const edited = editing === undefined ? undefined : d.rows[editing];
  return (
    <div className="dt-grid">
      <Table label={text.tableRows}>
        <thead>
          <tr>
            <th scope="col" className="num">
              {text.row}
            </th>
            {d.columns.map((c, j) => (
              <th scope="col" key={c}>
                <span className="row">
                  {c}
                  {!closed && d.columns.length > 1 && (
                    <Button tone="quiet" className="icon" aria-label={text.removeColumn(c)} onClick={() => set(edits.removeColumn(d, j))}>
                      <X aria-hidden size={13} />
                    </Button>
                  )}
                </span>
              </th>
            ))}
            <th scope="col">{text.access}</th>
            <th scope="col">{text.comment}</th>
            {check && <th scope="col">{text.finding}</th>}
            {!closed && <th scope="col">{text.actions}</th>}
          </tr>
        </thead>
        <tbody onKeyDown={moveByEnter}>
          {shown.map((r, n) => (
            <GridRow
              key={r.key}
              of={r}
              at={from + n}
              d={d}
              set={set}
              wrong={wrong}
              check={check}
              closed={closed}
              edit={() => edit(from + n)}
            />
          ))}
        </tbody>
      </Table>
      {edited && editing !== undefined && (
        <Dialog open close={() => edit(undefined)} title={text.accessOfRow(editing + 1)}>
          <div className="stack">
            <ManyPick label={text.roles} kind="roles" ids={edited.roles} set={(roles) => set(edits.row(d, editing, { roles }))} />
            <ManyPick
              label={text.entitlements}
              kind="access"
              ids={edited.entitlements}
              set={(entitlements) => set(edits.row(d, editing, { entitlements }))}
            />
            <div className="row">
              <Button tone="primary" onClick={() => edit(undefined)}>
                {text.done}
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </div>
  );
}

type RowProps = Omit<Props, "of" | "from"> & { of: Row; at: number; d: Draft; edit: () => void };

function GridRow({ of: r, at, d, set, wrong, check, closed, edit }: RowProps) {
  const error = wrong(`rows/${at}/role_ids`) ?? wrong(`rows/${at}/role_ids/0`) ?? wrong(`rows/${at}/entitlement_ids/0`);
  const found = check?.rows[at];
  return (
    <tr>
      <th scope="row" className="num">
        {at + 1}
      </th>
      {d.columns.map((c, j) => (
        <td key={c}>
          <CellInput
            label={text.cellOfRow(c, at + 1)}
            column={String(j)}
            value={r.cells[j] ?? ""}
            set={(t) => set(edits.cell(d, at, j, t))}
            error={wrong(`rows/${at}/cells/${j}`)}
            closed={closed}
          />
        </td>
      ))}
      <td>
        <ul className="row">
          {r.roles.map((id) => (
            <li key={id}>
              <Named kind="roles" id={id} />
            </li>
          ))}
          {r.entitlements.map((id) => (
            <li key={id}>
              <Named kind="access" id={id} />
            </li>
          ))}
          {r.roles.length + r.entitlements.length === 0 && <li className="faint">{text.noAccess}</li>}
          {!closed && (
            <li>
              <Button tone="quiet" className="icon" aria-label={text.editAccessOfRow(at + 1)} onClick={edit}>
                <Pencil aria-hidden size={13} />
              </Button>
            </li>
          )}
        </ul>
        {error && (
          <small className="bad" role="alert">
            {error}
          </small>
        )}
      </td>
      <td>
        <CellInput
          label={text.commentOfRow(at + 1)}
          column="comment"
          value={r.comment}
          set={(comment) => set(edits.row(d, at, { comment }))}
          error={wrong(`rows/${at}/comment`)}
          closed={closed}
        />
      </td>
      {check && <td className="dt-found">{found && <Found of={found} />}</td>}
      {!closed && (
        <td>
          <Menu
            words="…"
            label={text.actionsOfRow(at + 1)}
            of={[
              at > 0 && { words: text.moveUp, act: () => set(edits.move(d, at, -1)) },
              at < d.rows.length - 1 && { words: text.moveDown, act: () => set(edits.move(d, at, 1)) },
              { words: text.duplicate, act: () => set(edits.duplicate(d, at)) },
              d.rows.length > 1 && { words: text.removeRow, act: () => set(edits.remove(d, at)), danger: true },
            ]}
          />
        </td>
      )}
    </tr>
  );
}

type CellProps = {
  label: string;
  column: string;
  value: string;
  set: (t: string) => void;
  error: string | undefined;
  closed: boolean;
};

function CellInput({ label, column, value, set, error, closed }: CellProps) {
  if (closed) return <bdi>{value}</bdi>;
  return (
    <>
      <input
        type="text"
        aria-label={label}
        aria-invalid={error ? true : undefined}
        data-column={column}
        value={value}
        onChange={(e) => set(e.target.value)}
        autoComplete="off"
        spellCheck={false}
      />
      {error && (
        <small className="bad" role="alert">
          {error}
        </small>
      )}
    </>
  );
}

/** What the check has found of a row, in words and colour. */
function Found({ of }: { of: Check["rows"][number] }) {
  switch (of.state) {
    case "shadowed":
      return <State of="shadowed" tone="warn" words={text.shadowedBy(of.shadowed_by ?? 0)} />;
    case "overridden":
      return <State of="overridden" tone="warn" words={text.overridden(of.matched)} />;
    case "unmatched":
      return <State of="unmatched" tone="warn" words={text.unmatched} />;
    default:
      return <State of="used" tone="ok" words={text.used(of.applied)} />;
  }
}

/** Moves from a cell to the one below or above it. */
function moveByEnter(e: KeyboardEvent<HTMLTableSectionElement>) {
  const from = e.target as HTMLElement;
  if (e.key !== "Enter" || !from.dataset.column) return;
  e.preventDefault();
  const beside = e.shiftKey ? from.closest("tr")?.previousElementSibling : from.closest("tr")?.nextElementSibling;
  beside?.querySelector<HTMLElement>(`[data-column="${from.dataset.column}"]`)?.focus();
}

import { type FormEvent, useState } from "react";
import * as texts from "#text/inbox";
import { ask } from "../../api/client";
import { useAct } from "../../api/use";
import { TextField } from "../../kit/form";
import { Button, Problems, Text, When } from "../../kit/kit";
import { type Detail, sentence } from "./tasks";

/** What has been said about a task, and a place to say more. */
export function Comments({ task, mayWrite }: { task: Detail; mayWrite: boolean }) {
  const [text, setText] = useState("");
  const add = useAct<string, Detail>({
    act: (t, key) => ask("POST", `/decision-tasks/${task.id}/comments`, { body: { text: t }, key }),
    changes: ["/decision-tasks"],
    after: () => setText(""),
    quiet: true,
  });
  const submit = (e: FormEvent) => {
    e.preventDefault();
    if (text.trim()) add.mutate(text.trim());
  };
  return (
    <section className="stack tight" aria-label={texts.comments}>
      <h3>{texts.comments}</h3>
      {task.comments.length === 0 && <p className="small muted">{texts.noCommentsYet}</p>}
      <ul className="inbox-reason">
        {task.comments.map((c) => (
          <li key={`${c.at}${c.text}`}>
            <p className="small">
              <strong>
                <bdi>{c.by.display}</bdi>
              </strong>{" "}
              <span className="muted">
                <When at={c.at} />
              </span>
            </p>
            <p className="inbox-summary" dir="auto">
              {c.text}
            </p>
          </li>
        ))}
      </ul>
      {mayWrite && (
        <form className="stack tight" onSubmit={submit} id="inbox-comment">
          <TextField label={texts.addAComment} rows={2} max={4000} value={text} set={setText} />
          <Problems of={add.error} />
          <div>
            <Button type="submit" disabled={!text.trim() || add.isPending}>
              {texts.comment}
            </Button>
          </div>
        </form>
      )}
    </section>
  );
}

/** What has happened to a task, the last first. */
export function History({ task }: { task: Detail }) {
  const [all, setAll] = useState(false);
  const events = [...task.history].reverse();
  const shown = all ? events : events.slice(0, 6);
  return (
    <section className="stack tight" aria-label={texts.history}>
      <h3>{texts.history}</h3>
      <ol className="inbox-history small">
        {shown.map((e) => (
          <li key={`${e.at}${e.event}${e.detail}`}>
            <span className="muted">
              <When at={e.at} />
            </span>
            <span>
              {texts.sentenceByBy(<strong>{sentence(e.event)}</strong>, <bdi>{e.by.display}</bdi>)}
              {e.detail && (
                <span className="muted">
                  : <Text of={e.detail} />
                </span>
              )}
            </span>
          </li>
        ))}
      </ol>
      {events.length > shown.length && (
        <div>
          <Button reads tone="quiet" onClick={() => setAll(true)}>
            {texts.showAllCount(events.length)}
          </Button>
        </div>
      )}
    </section>
  );
}

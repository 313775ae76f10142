import { useSearch } from "@tanstack/react-router";
import * as text from "#text/provisioning";
import { useMay } from "../../api/use";
import { Head } from "../../kit/kit";
import { Link, useGo } from "../../kit/link";
import { Drifted } from "./drifted";
import { Groups } from "./groups";
import "./provisioning.css";
import { Switch } from "./pausestate";
import { TaskDrawer } from "./task";
import { Tasks } from "./tasks";

const parts = [
  ["tasks", text.tasks],
  ["drifted", text.drift],
] as const;

/** What is written to the connected systems, and what stands in the way. */
export default function Provisioning() {
  const may = useMay();
  const navigate = useGo();
  const search = useSearch({ strict: false }) as Record<string, string | undefined>;
  const part = search.part === "drifted" ? "drifted" : "tasks";
  const close = () => {
    const { task: _, ...rest } = search;
    void navigate({ to: ".", search: rest, resetScroll: false });
  };
  return (
    <>
      <Head title={text.provisioning} lead={text.changesToConnectedSystems} />
      {may.oversees && <Switch />}
      <nav className="tabs" aria-label={text.sectionsOfProvisioning}>
        {parts.map(([key, words]) => (
          <Link
            key={key}
            to="."
            search={key === "tasks" ? {} : { part: key }}
            resetScroll={false}
            activeProps={{}}
            className={key === part ? "active" : ""}
            aria-current={key === part ? "page" : undefined}
          >
            {words}
          </Link>
        ))}
      </nav>
      {part === "tasks" && may.oversees && <Groups />}
      {part === "tasks" ? <Tasks /> : <Drifted />}
      {search.task && <TaskDrawer key={search.task} id={search.task} close={close} />}
    </>
  );
}

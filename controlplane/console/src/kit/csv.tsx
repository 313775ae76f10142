import { Download } from "lucide-react";
import { useRef, useState } from "react";
import * as text from "#text/kit";
import { fetchPages, type Query, save } from "../api/client";
import { number } from "./count";
import { csvOf } from "./csvtext";
import { Button } from "./kit";
import type { Column } from "./listtypes";
import { showRefusal, showToast } from "./toast";

const most = 50_000;

/** Writes what is filtered as CSV: all of its pages, at most 50,000 rows. */
export function CsvButton<T>({ name, path, query, columns }: { name: string; path: string; query: Query; columns: Column<T>[] }) {
  const [read, setRead] = useState<string>();
  const stop = useRef<AbortController>(undefined);
  const write = async () => {
    const control = new AbortController();
    stop.current = control;
    setRead("0 %");
    try {
      let available = 0;
      const rows = await fetchPages<T>(
        path,
        query,
        most,
        (n, total) => {
          available = total;
          setRead(`${Math.min(100, Math.round((100 * n) / Math.max(1, total)))} %`);
        },
        control.signal,
      );
      save(new Blob([csvOf(columns, rows)], { type: "text/csv;charset=utf-8" }), `${name}.csv`);
      if (available > rows.length) showToast(text.theFileContainsTheFirstCount(number(rows.length), number(available)));
    } catch (e) {
      if (!control.signal.aborted) showRefusal(e);
    } finally {
      setRead(undefined);
    }
  };
  return read === undefined ? (
    <Button reads onClick={() => void write()} title={text.exportTheFilteredListAsCsv}>
      <Download aria-hidden size={15} /> {text.csv}
    </Button>
  ) : (
    <Button reads onClick={() => stop.current?.abort()}>
      {text.readRowsStop(read)}
    </Button>
  );
}

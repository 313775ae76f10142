import { Download, Upload } from "lucide-react";
import * as text from "#text/separationimport";
import { download } from "../../api/client";
import { useAct, useMay } from "../../api/use";
import { Link } from "../../kit/link";
import { Menu } from "../../kit/menu";
import type { Format } from "./importing";

const files: Record<Format, string> = {
  yaml: "separation-of-duties.yaml",
  csv: "separation-of-duties.zip",
  "sap-grc-txt": "sap-grc-rule-set.zip",
  "sap-grc-xml": "sap-grc-rule-set.xml",
};

const leftOut: Partial<Record<Format, string>> = { "sap-grc-txt": text.leftOutOfTheText, "sap-grc-xml": text.leftOutOfTheXml };

/** Exports all duties and policies, and leads to their import. */
export function Exchange() {
  const may = useMay();
  const get = useAct<Format>({
    act: (format) => download("/policies/separation-of-duties/export", files[format], { query: { format } }),
    done: (_, format) => leftOut[format],
  });
  return (
    <>
      <Menu
        reads
        words={
          <>
            <Download aria-hidden size={15} /> {text.exportLabel}
          </>
        }
        of={(Object.keys(files) as Format[]).map((f) => ({ words: text.exportFormats[f], act: () => get.mutate(f) }))}
      />
      {may.admin && (
        <Link className="button" to="/separation-of-duties/import">
          <Upload aria-hidden size={15} /> {text.importLabel}
        </Link>
      )}
    </>
  );
}

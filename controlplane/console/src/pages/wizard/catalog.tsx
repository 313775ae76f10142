import { useSearch } from "@tanstack/react-router";
import * as text from "#text/wizard";
import type { Of } from "../../api/types";
import { SearchBox } from "../../kit/filters";
import { Empty } from "../../kit/kit";
import { useGo } from "../../kit/link";

type Type = Of<"ConnectorType">;

/** What was chosen, and what is searched for, in the address. */
export function useChoice(): [string, (key: string) => void] {
  const search = useSearch({ strict: false }) as { type?: string };
  const set = useSet();
  return [search.type ?? "", (type) => set({ type })];
}

function useSet() {
  const navigate = useGo();
  return (more: Record<string, string | undefined>) =>
    void navigate({
      to: ".",
      search: (was: Record<string, string>) => ({ ...was, ...more }),
      replace: true,
      resetScroll: false,
    });
}

const standards: Record<string, string> = {
  scim2: text.applicationsWithScimUsingABearer,
  ldap: text.anyDirectoryOpenldap389ActiveDirectory,
  rest: text.apisThatReturnJsonIncludingYour,
  custom: text.aConnectorThatYouDevelopIn,
};

const categories: Record<string, string> = {
  hr: text.hr,
  directory: text.directory,
  identity_provider: text.identityProvider,
  application: text.application,
  custom: text.custom,
};

/** The types: standards first, then the vendors, which can be searched. */
export function Catalog({ of, chosen, choose }: { of: Type[]; chosen: string; choose: (key: string) => void }) {
  const search = useSearch({ strict: false }) as { q?: string };
  const set = useSet();
  const q = (search.q ?? "").toLowerCase();
  const vendors = of.filter(
    (t) =>
      t.type === "vendor" && (!q || `${t.name} ${t.vendor} ${t.description} ${categories[t.category] ?? ""}`.toLowerCase().includes(q)),
  );
  return (
    <div className="stack">
      <fieldset className="wizard-types">
        <legend className="wizard-more">{text.standards}</legend>
        {of
          .filter((t) => t.type !== "vendor")
          .map((t) => (
            <Card key={t.key} of={t} on={t.key === chosen} choose={choose} says={standards[t.key] ?? t.description} />
          ))}
      </fieldset>
      <div className="row between">
        <h2>{text.catalog}</h2>
        <SearchBox what={text.theCatalog} value={search.q ?? ""} onChange={(v) => set({ q: v || undefined })} />
      </div>
      {vendors.length > 0 ? (
        <fieldset className="wizard-types">
          <legend className="sr">{text.catalog}</legend>
          {vendors.map((t) => (
            <Card key={t.key} of={t} on={t.key === chosen} choose={choose} says={categories[t.category] ?? t.category} />
          ))}
        </fieldset>
      ) : (
        <Empty title={text.noResults}>{text.checkWhetherTheApplicationSupportsScim}</Empty>
      )}
    </div>
  );
}

function Card({ of, on, choose, says }: { of: Type; on: boolean; choose: (key: string) => void; says: string }) {
  return (
    <label className="wizard-type">
      <input type="radio" name="type" value={of.key} checked={on} onChange={() => choose(of.key)} />
      <strong>{of.name}</strong>
      <span className="small muted">{says}</span>
    </label>
  );
}

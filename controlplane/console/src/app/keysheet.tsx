import * as text from "#text/app";
import { useMay } from "../api/use";
import { Dialog } from "../kit/dialog";
import { Link } from "../kit/link";
import "./keysheet.css";
import { singleKeys } from "./appearance";
import { keyAreas } from "./keylist";

/** All keys, by where they work. */
export default function KeySheet({ close }: { close: () => void }) {
  const may = useMay();
  return (
    <Dialog open close={close} title={text.keyboardShortcuts} wide>
      {!singleKeys() && (
        <p className="note warn small">
          {text.singleKeyShortcutsAreOffIn(
            <Link to="/settings/me" onClick={close}>
              {text.turnThemOn}
            </Link>,
          )}
        </p>
      )}
      <div className="keysheet">
        {keyAreas(may).map((area) => (
          <section key={area.title}>
            <h3>{area.title}</h3>
            <dl>
              {area.keys.map(([keys, does]) => (
                <div key={keys.join()}>
                  <dt>
                    {keys.map((k) => (
                      <kbd key={k}>{k}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="small muted">{text.singleKeyShortcutsWorkOutsideFields}</p>
    </Dialog>
  );
}

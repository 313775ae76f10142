import { Link } from "@tanstack/react-router";
import { useMay } from "../api/use";
import { Dialog } from "../kit/dialog";
import "./keysheet.css";
import { singleKeys } from "./appearance";
import { keyAreas } from "./keylist";

/** All keys, by where they work. */
export default function KeySheet({ close }: { close: () => void }) {
  const may = useMay();
  return (
    <Dialog open close={close} title="Keyboard shortcuts" wide>
      {!singleKeys() && (
        <p className="note warn small">
          Single-key shortcuts are off in this browser.{" "}
          <Link to={"/settings/me" as never} onClick={close}>
            Turn them on
          </Link>
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
      <p className="small muted">Single-key shortcuts work outside fields and dialogs. You can turn them off in your settings.</p>
    </Dialog>
  );
}

// A mail server that misbehaves as it is told. The first argument is its options, each line of the input changes its
// mode, and each line of the output is an event.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { SMTPServer } from "smtp-server";

const options = JSON.parse(process.argv[2]);
let mode = options.mode ?? "";
const met = new Set(); // what has failed once already
const say = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
const refuse = (responseCode, text) => Object.assign(new Error(text), { responseCode });
const once = (key) => !met.has(key) && met.add(key);
const socketOf = (session) => [...server.connections].find((c) => c.id === session.id)?._socket;
const idOf = (raw) => /^message-id:\s*(\S+)/im.exec(raw)?.[1] ?? "";

const server = new SMTPServer({
  secure: options.secure ?? false,
  ...(options.cert ? { cert: readFileSync(options.cert), key: readFileSync(options.key) } : { hideSTARTTLS: true }),
  authMethods: ["PLAIN", "XOAUTH2"],
  authOptional: !options.user,
  disableReverseLookup: true,
  logger: false,
  onConnect(_session, done) {
    if (mode === "silent") return; // never greets
    setTimeout(done, mode === "slow" ? 3000 : 0);
  },
  onAuth(auth, _session, done) {
    const good = auth.username === options.user &&
      (auth.method === "XOAUTH2" ? auth.accessToken === options.token : auth.password === options.password);
    say({ auth: auth.method, good });
    if (good) return done(null, { user: auth.username });
    done(refuse(535, "5.7.8 Authentication credentials invalid"));
  },
  onRcptTo(to, _session, done) {
    if (mode === "greylist" && once(`greylist ${to.address}`)) return done(refuse(451, "4.7.1 Greylisted, try again later"));
    if (mode === "full") return done(refuse(552, "5.2.2 Mailbox full"));
    done();
  },
  onData(stream, session, done) {
    let raw = "";
    let cut = false;
    stream.on("data", (piece) => {
      raw += piece;
      if (mode !== "cut" || !once(`cut ${session.envelope.rcptTo[0].address}`)) return;
      cut = true;
      socketOf(session)?.destroy();
    });
    stream.on("error", () => {});
    stream.on("end", () => {
      const id = idOf(raw);
      if (cut) return;
      if (mode === "full after data") return done(refuse(552, "5.2.2 Mailbox full"));
      if (mode === "busy after data" && once(`busy ${id}`)) return done(refuse(451, "4.3.0 Queue is busy"));
      say({ accepted: id, to: session.envelope.rcptTo.map((r) => r.address) });
      if (mode === "vanish" && once(`vanish ${id}`)) return socketOf(session)?.destroy();
      done(null, "2.0.0 Accepted");
      if (mode === "one each") socketOf(session)?.end();
    });
  },
});
server.on("error", () => {}); // of connections
server.listen(0, "127.0.0.1", () => say({ port: server.server.address().port }));
createInterface({ input: process.stdin })
  .on("line", (line) => {
    mode = line;
    say({ mode });
  })
  .on("close", () => process.exit(0));

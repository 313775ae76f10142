// A mail server that keeps what it is sent, and accepts all recipients but those whose name begins with "rejected". It speaks what a client needs who sends without encryption.
import { createServer } from "node:net";

function session(socket, mails) {
  let rest = "";
  let body;
  const say = (line) => socket.write(`${line}\r\n`);
  const line = (l) => {
    if (body === undefined) {
      if (/^EHLO/i.test(l)) return say("250 desk.example.org");
      if (/^DATA/i.test(l)) {
        body = [];
        return say("354 end with a dot");
      }
      if (/^RCPT TO:<rejected/i.test(l)) return say("550 5.1.1 no such user");
      return say(/^QUIT/i.test(l) ? "221 bye" : "250 ok");
    }
    if (l !== ".") return body.push(l);
    mails.push(body.join("\n"));
    body = undefined;
    return say("250 kept");
  };
  say("220 desk.example.org");
  socket.on("error", () => socket.destroy());
  socket.on("data", (d) => {
    const lines = (rest + d).split("\r\n");
    rest = lines.pop();
    for (const l of lines) line(l);
  });
}

/** Starts a mail server on the loopback address: its port, the messages that it has accepted, and how it is closed. */
export async function mailbox() {
  const mails = [];
  const server = createServer((socket) => session(socket, mails));
  await new Promise((on) => server.listen(0, "127.0.0.1", on));
  return { port: server.address().port, mails, close: () => server.close() };
}

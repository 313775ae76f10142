// Judges Adaptive Cards by Microsoft's own library: POST a card, get the complaints as a list of texts.
import { createServer } from "node:http";
import { createRequire } from "node:module";

const cards = createRequire(import.meta.url)("adaptivecards/dist/adaptivecards.js");

function complaints(json) {
  const context = new cards.SerializationContext();
  const card = new cards.AdaptiveCard();
  card.parse(json, context);
  const found = Array.from({ length: context.eventCount }, (_, i) => context.getEventAt(i).message);
  return found.concat(card.validateProperties().validationEvents.map((e) => e.message));
}

const server = createServer((question, answer) => {
  let body = "";
  question.on("data", (part) => (body += part));
  question.on("end", () => answer.end(JSON.stringify(complaints(JSON.parse(body)))));
});
server.listen(Number(process.env.PORT), "127.0.0.1", () => console.log(`listening ${server.address().port}`));
